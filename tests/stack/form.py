"""Reads the forms of an HTML page, as a browser would before a person fills one in."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_WRITTEN = {"input", "textarea", "select"}
_NOT_SENT = {"submit", "button", "image", "reset", "file"}


@dataclass
class Form:
    """`values` are the fields as they stand, `labels` the text at each of them."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    buttons: set[str] = field(default_factory=set)
    labels: dict[str, str] = field(default_factory=dict)


def form_with(html: str, name: str) -> Form:
    """The form of the page that has a field or a button of this name."""
    reader = _Reader()
    reader.feed(html)
    return next(
        one for one in reader.forms if name in one.values or name in one.buttons
    )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._ids: dict[str, str] = {}
        self._area: str | None = None
        self._select: str | None = None
        self._label: str | None = None

    @property
    def _form(self) -> Form:
        return self.forms[-1] if self.forms else Form(action="")

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in pairs}
        if tag == "form":
            self.forms.append(Form(action=has.get("action", "")))
        elif tag == "label":
            self._label = has.get("for")
        elif tag == "option" and self._select and "selected" in has:
            self._form.values[self._select] = has.get("value", "")
        elif name := has.get("name"):
            self._ids[has.get("id", "")] = name
            self._field(tag, name, has)

    def _field(self, tag: str, name: str, has: dict[str, str]) -> None:
        kind = has.get("type", "text")
        if tag == "button" or kind in _NOT_SENT:
            self._form.buttons.add(name)
        elif kind in ("checkbox", "radio") and "checked" not in has:
            return
        elif tag in _WRITTEN:
            self._form.values[name] = has.get("value", "")
            self._area = name if tag == "textarea" else None
            self._select = name if tag == "select" else None

    def handle_data(self, data: str) -> None:
        if self._area:
            self._form.values[self._area] += data
        elif self._label and data.strip():
            self._form.labels.setdefault(data.strip().rstrip(":*"), self._label)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._area:
            # The first line break after the tag belongs to the markup.
            text = self._form.values[self._area]
            self._form.values[self._area] = text.removeprefix("\r").removeprefix("\n")
            self._area = None
        elif tag == "select":
            self._select = None
        elif tag == "label":
            self._label = None
        elif tag == "form" and self.forms:
            labels = self._form.labels
            self._form.labels = {
                text: self._ids[place]
                for text, place in labels.items()
                if place in self._ids
            }
