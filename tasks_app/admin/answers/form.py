"""The form of a whole value: a field per property, or one JSON text."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminTextareaWidget

from tasks_app.admin.answers.controls import ValueField, parsed
from tasks_app.admin.answers.shapes import ABSENT, Shape

WHOLE = "whole"


class ValueForm(forms.Form):
    """Field names are places (`0`, `1`, …): the properties are named by strangers."""

    prefix = "value"

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        shapes: Sequence[Shape] | None,
        suggested: object = None,
    ) -> None:
        """Any: the query dict of the request. Without shapes it is one JSON text."""
        super().__init__(data)
        self.shapes = shapes
        self.whole: object = None
        if shapes is None:
            self.fields[WHOLE] = _whole(suggested)
            return
        for place, shape in enumerate(shapes):
            self.fields[str(place)] = ValueField(shape)

    @property
    def edited(self) -> bool:
        """Whether any control says something else than it did at first."""
        return any(
            field.has_changed(field.initial, self[name].data)
            for name, field in self.fields.items()
        )

    def clean(self) -> dict[str, Any] | None:
        """Any: as Django's. The one JSON text is read here."""
        cleaned = super().clean() or self.cleaned_data
        if self.shapes is None and cleaned.get(WHOLE, "").strip():
            try:
                self.whole = parsed(cleaned[WHOLE])
            except forms.ValidationError as refused:
                self.add_error(WHOLE, refused)
        return cleaned

    def value(self) -> object:
        """What was answered, None for nothing; only after `is_valid`."""
        if self.shapes is None:
            return self.whole
        return {
            shape.key: answer
            for place, shape in enumerate(self.shapes)
            if (answer := self.cleaned_data[str(place)]) is not ABSENT
        }

    def refuse(self, errors: Mapping[str, str]) -> None:
        """Put the verb's errors beside the fields they name; the rest on top."""
        places = {s.key: str(place) for place, s in enumerate(self.shapes or ())}
        for path, text in errors.items():
            name = path.split(".")[0].split("[")[0]
            if name in places:
                self.add_error(places[name], text)
            else:
                self.add_error(None, f"{path}: {text}" if path else text)


def _whole(suggested: object) -> forms.CharField:
    text = ""
    if suggested is not None:
        text = json.dumps(suggested, ensure_ascii=False, indent=2)
    rows = min(24, text.count("\n") + 4)
    attrs = {"rows": rows, "spellcheck": "false", "data-start": text}
    return forms.CharField(
        label="Value (JSON)",
        initial=text,
        required=False,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs=attrs),
    )
