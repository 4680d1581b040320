"""What a browser would send: the controls of a page as they stand."""

from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tasks_app.models import Question


def decide_url(question: Question, page: str = "decide") -> str:
    return reverse(f"admin:tasks_app_humanrequest_{page}", args=[question.pk])


def provide_url(question: Question) -> str:
    return reverse("admin:tasks_app_inforequest_provide", args=[question.pk])


def controls(page: HttpResponse) -> dict[str, str]:
    """Name → value of every control but buttons; unticked boxes are left out."""
    reader = _Controls()
    reader.feed(page.content.decode())
    return reader.found


def control_of(page: HttpResponse, key: str) -> str:
    """The name of the control of a property: PostgreSQL keeps no order of keys."""
    shapes = page.context["form"].value_form.shapes
    places = {shape.key: place for place, shape in enumerate(shapes)}
    return f"value-{places[key]}"


def press(
    client: Client,
    url: str,
    page: HttpResponse | None = None,
    value: dict[str, str] | None = None,
    **typed: Any,
):
    """POST the form of the page with some controls changed and a button pressed.

    `value` goes to the controls of the properties that it names.
    """
    shown = page if page is not None else client.get(url)
    changed = {control_of(shown, key): text for key, text in (value or {}).items()}
    return client.post(url, controls(shown) | typed | changed)


class _Controls(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self._open: str | None = None
        self._select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = {name: value or "" for name, value in attrs}
        name = at.get("name", "")
        if tag == "input" and name:
            tickable = at.get("type") in ("checkbox", "radio")
            if not tickable or "checked" in at:
                self.found[name] = at.get("value", "on" if tickable else "")
        elif tag == "textarea":
            self._open, self.found[name] = name, ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and self._is_chosen(at):
            self.found[self._select] = at.get("value", "")

    def _is_chosen(self, at: dict[str, str]) -> bool:
        return "selected" in at or self._select not in self.found

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self.found[self._open] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._open is not None:
            # A browser drops the first line break and sends the others as CR LF.
            text = self.found[self._open].removeprefix("\n")
            self.found[self._open] = text.replace("\r\n", "\n").replace("\n", "\r\n")
            self._open = None
        elif tag == "select":
            self._select = None
