"""A request goes on to others: to the next level, to one person, or it loses a vote.

Buttons of the form of the decide page, each with an address of its own.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_POST
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import desk
from tasks_app.admin import door, refusals
from tasks_app.admin.base import Route
from tasks_app.admin.human.form import DecisionForm, level_shown
from tasks_app.admin.questions import QuestionAdmin
from tasks_app.desk import Shown, offers
from tasks_app.desk.opening import open_for
from tasks_app.models import Question


class HandingForm(forms.Form):
    """Whom it is given to, and why."""

    to = forms.ModelChoiceField(
        queryset=User.objects.none(),
        required=False,
        label="Person",
        empty_label="Choose a person",
        help_text="Everybody who has the right for this level.",
        error_messages={"invalid_choice": "This person may not decide it."},
        widget=UnfoldAdminSelectWidget,
    )
    why = forms.CharField(
        required=False,
        strip=False,
        label="Why",
        help_text="For those who get it; it stays on record. Needed to escalate.",
        widget=UnfoldAdminTextareaWidget(
            attrs={"rows": 2, "maxlength": offers.MAX_COMMENT_CHARACTERS}
        ),
    )

    def __init__(
        self, question: Question, user: User, data: Mapping[str, Any] | None = None
    ) -> None:
        """Any: the query dict of the request."""
        super().__init__(data)
        people = desk.eligible(question).exclude(pk__in=_have_it(question, user))
        field = self.fields["to"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - as above
        field.queryset = people

    def why_given(self) -> str:
        """The comment, its line breaks as everywhere."""
        return str(self.cleaned_data["why"]).replace("\r\n", "\n")

    def refuse(self, error: SynapseError) -> None:
        """What the verb had against it; it names the comment only."""
        for text in refusals.fields_of(error).values():
            self.add_error("why", text)


Hand = Callable[[Shown, HandingForm, User], str | None]


class HandingAdmin(QuestionAdmin):
    """Escalate, delegate, withdraw one's vote."""

    def routes(self) -> Sequence[Route]:
        """Each is a button."""
        return (
            ("<uuid:pk>/escalate/", require_POST(self.escalate), "escalate"),
            ("<uuid:pk>/delegate/", require_POST(self.delegate), "delegate"),
            ("<uuid:pk>/withdraw/", require_POST(self.withdraw), "withdraw"),
        )

    def refused(
        self, request: HttpRequest, row: Question, error: SynapseError, **more: object
    ) -> HttpResponse:
        """Also what own staff tried stays on record (G43)."""
        if error.code is Code.OWN_STAFF:
            self.log_change(request, row, f"Refused: {error.message}")
        return super().refused(request, row, error, **more)

    def escalate(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """To the next level, with a comment that says why."""
        return self._hand(request, pk, _escalated)

    def delegate(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """To one person, who holds it from then on."""
        return self._hand(request, pk, _delegated)

    def withdraw(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """One's own vote, whatever one may do else."""
        question, user = self.row(request, pk), door.operator(request)
        cast = any(vote.voter_id == user.pk for vote in desk.votes_on(question))
        try:
            desk.withdraw_vote(DecisionForm(question, request.POST).shown(), user)
        except SynapseError as refused:
            return self.refused(request, self.row(request, pk), refused)
        if cast:
            self.log_change(request, question, "Withdrew a vote.")
            messages.success(request, "Your vote is withdrawn.")
        return HttpResponseRedirect(self.url("decide", pk))

    def check_shown(self, question: Question, user: User, form: DecisionForm) -> Shown:
        """What was shown; rights come before mistakes, and own staff are told why.

        Raises what `desk.claim` does.
        """
        level = level_shown(form.data)
        asked = Shown(question_id=question.pk, version=question.version, level=level)
        open_for(asked, user, timezone.now())
        return form.shown()

    def _hand(self, request: HttpRequest, pk: uuid.UUID, hand: Hand) -> HttpResponse:
        question, user = self.row(request, pk), door.operator(request)
        form = DecisionForm(question, request.POST)
        handing = HandingForm(question, user, request.POST)
        try:
            shown = self.check_shown(question, user, form)
            done = hand(shown, handing, user) if handing.is_valid() else None
        except SynapseError as refused:
            if not refusals.is_bad_input(refused):
                return self.refused(request, self.row(request, pk), refused)
            handing.refuse(refused)
            done = None
        if done is None:
            form.keep()
            return self.show(request, question, status=422, form=form, handing=handing)
        self.log_change(request, question, f"{done}.")
        messages.success(request, f"{done}.")
        return HttpResponseRedirect(self.url("changelist"))


def _escalated(shown: Shown, form: HandingForm, user: User) -> str | None:
    desk.escalate(shown, form.why_given(), user)
    level = Question.objects.values_list("level", flat=True).get(pk=shown.question_id)
    return f"Given to level {level}"


def _delegated(shown: Shown, form: HandingForm, user: User) -> str | None:
    to = form.cleaned_data["to"]
    if to is None:
        form.add_error("to", "Choose who gets it.")
        return None
    desk.delegate(shown, to, form.why_given(), user)
    return f"Given to {to}"


def _have_it(question: Question, user: User) -> list[int]:
    """Who claims it does not give it to themselves."""
    return [pk for pk in (user.pk, question.claimed_by_id) if pk is not None]
