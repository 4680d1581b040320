"""One control per missing fact; what is filled in is sent, the rest stays missing."""

from collections.abc import Mapping
from typing import Any

from django import forms

from agents_app.protocol.errors import SynapseError
from tasks_app.admin.answers import ABSENT, Shape, ValueForm, shape_of
from tasks_app.admin.refusals import fields_of
from tasks_app.admin.tree import label_of
from tasks_app.models import Question

_NOTHING = "Fill in at least one field that is still missing."


class ProvideForm(forms.Form):
    """Carries the version that was shown; the facts are in `facts`."""

    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(
        self, question: Question, data: Mapping[str, Any] | None = None
    ) -> None:
        """Any: the query dict of the request."""
        super().__init__(data, initial={"version": question.version})
        self.known: Mapping[str, object] = question.provided
        self.facts = ValueForm(
            data, [_shape(field, self.known) for field in question.missing_fields]
        )

    def provided(self) -> dict[str, object] | None:
        """What is new, or None with the errors in the form."""
        if not (self.is_valid() and self.facts.is_valid()):
            return None
        answers = self.facts.value()
        new = {
            name: value
            for name, value in (answers.items() if isinstance(answers, dict) else ())
            if name not in self.known or self.known[name] != value
        }
        if not new:
            self.facts.add_error(None, _NOTHING)
        return new or None

    def refuse(self, error: SynapseError) -> None:
        """Show what the verb had against it, beside the fields it names."""
        errors = fields_of(error)
        self.facts.refuse(
            {path.removeprefix("provided_info."): text for path, text in errors.items()}
        )


def _shape(field: Mapping[str, Any], known: Mapping[str, object]) -> Shape:
    """Any: a `MissingField` as JSON. Nothing is required: partial answers add up."""
    name = str(field["name"])
    schema = field.get("schema")
    if not isinstance(schema, Mapping):
        schema = {"type": field["type"]} if field.get("type") else {}
    needed = "" if field.get("required", True) else " (optional)"
    described = {
        **schema,
        "title": f"{schema.get('title') or label_of(name)}{needed}",
        "description": field.get("description") or schema.get("description"),
    }
    return shape_of(name, described, initial=known.get(name, ABSENT), required=False)
