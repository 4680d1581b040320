"""The pages of one request: look, claim, release, decide, which may be a vote.

Thin: parse, one verb of `desk`, a page or a redirect. The verb checks the right again
when it writes (G43); the page says who was faster, and when (G40).
"""

import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods, require_POST

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action
from tasks_app import desk
from tasks_app.admin import door, refusals
from tasks_app.admin.base import Route
from tasks_app.admin.human.acting import acting_on, principal_of
from tasks_app.admin.human.ballots import in_words
from tasks_app.admin.human.form import DecisionForm, level_shown
from tasks_app.admin.human.handing import HandingAdmin
from tasks_app.admin.human.page import context_of
from tasks_app.desk import Outcome, Shown
from tasks_app.models import Question

_DONE = {
    "approve": "Approved.",
    "reject": "Rejected.",
    "select": "Your choice was sent.",
    "modify": "Your value was sent.",
}
Verb = Callable[[Shown], None]


class DecidingAdmin(HandingAdmin):
    """Own pages of HiL requests; whoever may do anything here may look."""

    noun = "HiL request"
    template = "admin/tasks_app/humanrequest/decide.html"
    row_page = "decide"
    opened_by = (*door.DECIDE.values(), "release_question")

    def has_view_permission(
        self, request: HttpRequest, obj: Question | None = None
    ) -> bool:
        """Deputies, too, who have no right of their own."""
        allowed = super().has_view_permission(request, obj)
        return allowed or bool(door.levels(request))

    def routes(self) -> Sequence[Route]:
        """The page decides by POST; the others are buttons on it."""
        pages = require_http_methods(["GET", "HEAD", "POST"])
        return (
            *super().routes(),
            ("<uuid:pk>/decide/", pages(self.decide), "decide"),
            ("<uuid:pk>/claim/", require_POST(self.claim), "claim"),
            ("<uuid:pk>/release/", require_POST(self.release), "release"),
        )

    def context_of(self, request: HttpRequest, row: Question) -> dict[str, Any]:
        """With an empty form, unless there is one that was filled in."""
        acting = acting_on(row, door.operator(request))
        shown = super().context_of(request, row)
        return shown | context_of(row, acting, DecisionForm(row, acting=acting))

    def decide(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Show the request; with POST, decide it."""
        question = self.row(request, pk)
        if request.method != "POST":
            return self.show(request, question)
        acting = acting_on(question, door.operator(request))
        form = DecisionForm(question, request.POST, acting)
        try:
            return self._decide(request, question, form)
        except SynapseError as refused:
            if refusals.is_bad_input(refused):
                form.refuse(refused)
                return self.show(request, question, status=422, form=form)
            # Who meant another answer than the votes has typed it for nothing else.
            kept = {"form": form} if refused.code is Code.VOTES_DIFFER else {}
            return self.refused(request, self.row(request, pk), refused, **kept)

    def claim(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Take it in hand, so that others see it is taken."""
        verb = partial(desk.claim, user=door.operator(request))
        return self._hold(request, pk, verb, self.url("decide", pk))

    def release(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Give it back to the inbox: one's own, or with the right what others hold."""
        verb = partial(desk.release, user=door.operator(request))
        return self._hold(request, pk, verb, self.url("changelist"))

    def _decide(
        self, request: HttpRequest, question: Question, form: DecisionForm
    ) -> HttpResponse:
        user = door.operator(request)
        shown = self.check_shown(question, user, form)
        principal = principal_of(request.POST, question, user)
        decision = form.decision()
        if decision is None:
            return self.show(request, question, status=422, form=form)
        decide = desk.decide
        if principal is not None:
            decide = partial(decide, on_behalf_of=principal)
        outcome = decide(shown, decision, user)
        done = "Decided" if outcome.decided else "Voted"
        self.log_change(request, question, f"{done}: {decision.action}.")
        messages.success(request, _said(decision.action, outcome))
        return HttpResponseRedirect(self.url("changelist"))

    def _hold(
        self, request: HttpRequest, pk: uuid.UUID, verb: Verb, then: str
    ) -> HttpResponse:
        question = self.row(request, pk)
        version = request.POST.get("version", "")
        try:
            if not version.isascii() or not version.isdigit() or len(version) > 9:
                raise SynapseError(Code.QUESTION_CHANGED)
            level = level_shown(request.POST)
            verb(Shown(question_id=pk, version=int(version), level=level))
        except SynapseError as refused:
            return self.refused(request, self.row(request, pk), refused)
        if question.claimed_by_id not in (None, door.operator(request).pk):
            self.log_change(
                request, question, f"Released what {question.claimed_by} held."
            )
        return HttpResponseRedirect(then)


def _said(action: Action, outcome: Outcome) -> str:
    if outcome.decided:
        return f"{_DONE[action]} The agent goes on."
    return f"Your vote counts: {in_words(outcome.tally)}. Others are needed, too."
