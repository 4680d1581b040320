"""The decision form: which question in which version, what is decided, a comment."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action, Decision
from tasks_app.admin.answers import ValueForm, shapes_of
from tasks_app.admin.human.acting import Acting
from tasks_app.admin.refusals import fields_of
from tasks_app.desk import Shown, offers
from tasks_app.ladder import TOP_LEVEL
from tasks_app.models import Question

# Options with these ids say the same as the two buttons, so the buttons carry them.
_VERDICTS = (Action.APPROVE, Action.REJECT)
_LEVELS = tuple(str(level) for level in range(1, TOP_LEVEL + 1))
_MARKED = "Nothing was sent: correct what is marked above."
_WOULD_BE_LOST = (
    "You changed the value, and the button you pressed does not send it. "
    "Press “Send changed value”, or undo the change."
)


class DecisionForm(forms.Form):
    """Carries the question, its version and its level, so that a stale page is refused
    (G41), and says so when it climbed.
    """

    question = forms.UUIDField(widget=forms.HiddenInput)
    version = forms.IntegerField(widget=forms.HiddenInput)
    level = forms.IntegerField(widget=forms.HiddenInput, required=False)
    action = forms.ChoiceField(
        choices=[(action.value, action.value) for action in Action]
    )
    option_id = forms.CharField(required=False, strip=False)
    on_behalf_of = forms.ChoiceField(
        required=False,
        label="Decide",
        help_text="The record names you, and the person whom you stand in for.",
        widget=UnfoldAdminSelectWidget,
    )
    comment = forms.CharField(
        required=False,
        label="Comment",
        help_text="Goes to the agent with your decision and stays on record.",
        widget=UnfoldAdminTextareaWidget(
            attrs={"rows": 3, "maxlength": offers.MAX_COMMENT_CHARACTERS}
        ),
    )

    def __init__(
        self,
        question: Question,
        data: Mapping[str, Any] | None = None,
        acting: Acting | None = None,
    ) -> None:
        """Any: the query dict of the request."""
        start = {
            "question": question.pk,
            "version": question.version,
            "level": question.level,
        }
        super().__init__(data, initial=start)
        self.asked = question
        self._offer_rights(acting.choices if acting else [])
        self.value_form = _value_form(question, data)

    @property
    def options(self) -> list[dict[str, Any]]:
        """The options that have no button of their own. Any: JSON as it was asked."""
        verdicts = {action.value for action in _VERDICTS}
        return [one for one in self.asked.options if one["id"] not in verdicts]

    @property
    def offers_approval(self) -> bool:
        """Beside options, "Approve" says nothing unless there is a suggestion or it is
        one of them. `desk` takes it all the same.
        """
        suggested = self.asked.suggested_value is not None
        named = self.verdict_option(Action.APPROVE) is not None
        return suggested or named or not self.asked.options

    @property
    def complaints(self) -> list[str]:
        """What belongs to no field; the page says it beside the buttons."""
        found = [*self.non_field_errors()]
        for name in ("action", "option_id"):
            found += self.errors.get(name, [])
        if self.value_form is not None:
            found += self.value_form.non_field_errors()
        beside = self.has_error("comment") or (
            self.value_form is not None
            and any(name != NON_FIELD_ERRORS for name in self.value_form.errors)
        )
        return [*found, _MARKED] if beside else found

    def verdict_option(self, action: Action) -> dict[str, Any] | None:
        """The option that means the same as approve or reject."""
        same = (one for one in self.asked.options if one["id"] == action.value)
        return next(same, None)

    def shown(self) -> Shown:
        """What was on the screen; QUESTION_CHANGED when that cannot be told."""
        names = ("question", "version", "level")
        try:
            seen, version, level = (
                self.fields[name].clean(self.data.get(name)) for name in names
            )
        except forms.ValidationError as refused:
            raise SynapseError(Code.QUESTION_CHANGED) from refused
        if seen != self.asked.pk or version != self.asked.version:
            raise SynapseError(Code.QUESTION_CHANGED)
        return Shown(question_id=seen, version=version, level=level)

    def decision(self) -> Decision | None:
        """The decision, or None with the errors in the forms; INVALID_FIELD."""
        if not self.is_valid():
            return None
        action = Action(self.cleaned_data["action"])
        value = self._value(action)
        edits = None if action is Action.REJECT else self.value_form
        if self.errors or (edits is not None and edits.errors):
            return None
        return Decision.parse(
            {
                "action": action,
                "option_id": self._option_id(action),
                "value": value,
                "comment": self.cleaned_data["comment"].replace("\r\n", "\n") or None,
            }
        )

    def refuse(self, error: SynapseError) -> None:
        """Show what the verb had against the decision, beside the fields it names."""
        inner: dict[str, str] = {}
        for path, text in fields_of(error).items():
            name = path.removeprefix("decision.")
            if name in {"comment", "option_id"}:
                self.add_error(name, text)
            elif self.value_form is not None:
                inner[name.removeprefix("value").lstrip(".")] = text
            else:
                self.add_error(None, text)
        if self.value_form is not None and inner:
            self.value_form.refuse(inner)

    def keep(self) -> None:
        """What was typed comes back without a word: another button was pressed."""
        for form in (self, self.value_form):
            if form is not None:
                form.errors.clear()

    def _offer_rights(self, choices: list[tuple[str, str]]) -> None:
        """A choice where there is one; otherwise whose right it is goes along."""
        field = self.fields["on_behalf_of"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - declared above
        field.choices = choices
        if len(choices) < 2:
            field.widget = forms.HiddenInput()
            field.initial = choices[0][0] if choices else ""

    def _option_id(self, action: Action) -> str | None:
        if action in _VERDICTS:
            return action.value if self.verdict_option(action) else None
        return self.cleaned_data["option_id"] if action is Action.SELECT else None

    def _value(self, action: Action) -> object:
        """The value of a modify; an edit that another button would lose is an error."""
        if action is Action.SELECT and not self.cleaned_data["option_id"]:
            self.add_error("option_id", "Choose one of the options first.")
        if action is Action.REJECT:
            return None
        if self.value_form is None:
            if action is Action.MODIFY:
                self.add_error(None, "This request does not take a value.")
            return None
        if action is not Action.MODIFY:
            if self.value_form.edited:
                self.value_form.add_error(None, _WOULD_BE_LOST)
            return None
        if not self.value_form.is_valid():
            return None
        value = self.value_form.value()
        if value is None:
            self.value_form.add_error(None, "Write the value that you want to send.")
        return value


def level_shown(data: Mapping[str, Any]) -> int | None:
    """At which level the page showed it, if it said so: a list does not.

    Any: the query dict of the request.
    """
    level = data.get("level")
    return int(level) if level in _LEVELS else None


def _value_form(question: Question, data: Mapping[str, Any] | None) -> ValueForm | None:
    """None when the question takes no value (`desk` would refuse one)."""
    schema, suggested = question.decision_schema, question.suggested_value
    if schema is None and suggested is None:
        return None
    shapes = shapes_of(schema, suggested)
    if shapes and data is not None and data.get("action") != Action.MODIFY:
        # Only a changed value has to be complete.
        shapes = [replace(shape, required=False) for shape in shapes]
    return ValueForm(data, shapes, suggested)
