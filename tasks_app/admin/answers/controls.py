"""One property as a form field: text in, JSON value out.

A control that is left as it was gives back the very value it showed, so that looking
at a form changes nothing: no number turns into a text, no null into "".
"""

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from agents_app.protocol import jsontext
from agents_app.protocol.errors import SynapseError
from tasks_app.admin.answers.shapes import ABSENT, Kind, Shape
from tasks_app.admin.tree import plain

_WRITTEN = frozenset({Kind.TEXT, Kind.LONG_TEXT, Kind.DATE})


class ValueField(forms.Field):
    """The field of a shape; `clean` gives the value, or ABSENT for none."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.ticked = _is_checkbox(shape)
        super().__init__(
            required=False,
            label=shape.label,
            help_text=shape.help,
            initial=shape.initial if self.ticked else _shown(shape),
            widget=_widget(shape),
        )
        # By this the page sees an edit, also after it came back with what was typed.
        start = "true" if shape.initial is True else ""
        self.widget.attrs["data-start"] = start if self.ticked else _shown(shape)

    def clean(self, value: Any) -> object:
        """Any: whatever the widget read from the request."""
        if self.ticked:
            return bool(value)
        text = _unified(value or "")
        if not self.has_changed(None, text):
            return self._untouched()
        return self._empty() if not text else self._read(text)

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the control was touched, for better or worse. Any: as Django's."""
        if self.ticked:
            return bool(data) != self.shape.initial
        return _unified(data or "") != _unified(_shown(self.shape))

    def _untouched(self) -> object:
        if self.shape.initial is ABSENT and self.shape.required:
            return self._empty()
        return self.shape.initial

    def _empty(self) -> object:
        written = self.shape.kind in _WRITTEN
        if written and isinstance(self.shape.initial, str):
            return ""
        if self.shape.nullable:
            return None
        if self.shape.required:
            raise ValidationError("This is needed.", code="required")
        return ABSENT

    def _read(self, text: str) -> object:
        match self.shape.kind:
            case Kind.TEXT | Kind.LONG_TEXT | Kind.DATE:
                return text
            case Kind.INTEGER:
                return _number(text, whole=True)
            case Kind.NUMBER:
                return _number(text, whole=False)
            case _:
                return parsed(text)


def parsed(text: str) -> object:
    """A JSON text; the form's own error when it is none."""
    try:
        return jsontext.loads(text)
    except SynapseError as refused:
        raise ValidationError(refused.message, code="json") from refused


def _number(text: str, *, whole: bool) -> int | float:
    try:
        value = jsontext.loads(text.strip())
    except SynapseError:
        value = None
    allowed = int if whole else int | float
    if isinstance(value, bool) or not isinstance(value, allowed):
        example = "a whole number such as 12" if whole else "a number such as 1200.50"
        raise ValidationError(f"Write {example}.", code="number")
    return value


def _is_checkbox(shape: Shape) -> bool:
    """Only what is plainly yes or no; unknown and null need a third way."""
    known = isinstance(shape.initial, bool) and not shape.nullable
    return shape.kind is Kind.BOOLEAN and known


def _shown(shape: Shape) -> str:
    """What the control says before anybody touches it."""
    if shape.initial is ABSENT:
        return ""
    if shape.kind is Kind.JSON:
        return json.dumps(shape.initial, ensure_ascii=False, indent=2)
    if shape.kind is Kind.CHOICE:
        return plain(shape.initial)
    if shape.initial is None:
        return ""
    return shape.initial if isinstance(shape.initial, str) else plain(shape.initial)


def _widget(shape: Shape) -> forms.Widget:
    rows: forms.Widget
    match shape.kind:
        case Kind.BOOLEAN if _is_checkbox(shape):
            rows = UnfoldBooleanWidget()
        case Kind.BOOLEAN:
            rows = UnfoldAdminSelectWidget(choices=_yes_or_no())
        case Kind.CHOICE:
            rows = UnfoldAdminSelectWidget(choices=_options(shape))
        case Kind.LONG_TEXT:
            rows = UnfoldAdminTextareaWidget(attrs={"rows": 4})
        case Kind.JSON:
            lines = _shown(shape).count("\n") + 1
            attrs = {"rows": min(20, max(3, lines)), "spellcheck": "false"}
            rows = UnfoldAdminTextareaWidget(attrs=attrs)
        case Kind.INTEGER | Kind.NUMBER:
            rows = UnfoldAdminTextInputWidget(attrs={"inputmode": "decimal"})
        case Kind.DATE:
            rows = UnfoldAdminTextInputWidget(attrs={"type": "date"})
        case _:
            rows = UnfoldAdminTextInputWidget()
    return rows


def _yes_or_no() -> list[tuple[str, str]]:
    return [("", "—"), ("true", "Yes"), ("false", "No")]


def _options(shape: Shape) -> list[tuple[str, str]]:
    offered = [
        (plain(choice), choice if isinstance(choice, str) else plain(choice))
        for choice in shape.choices
    ]
    shown = _shown(shape)
    if shown and shown not in dict(offered):
        offered.insert(0, (shown, f"{shown} (suggested, not offered)"))
    return offered if shown and shape.required else [("", "—"), *offered]


def _unified(text: str) -> str:
    """Browsers send line breaks as CR LF whatever they were."""
    return str(text).replace("\r\n", "\n").replace("\r", "\n")
