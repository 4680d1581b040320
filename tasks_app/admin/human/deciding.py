"""The pages of one request: look, claim, release, decide.

Thin: parse, one verb of `desk`, a page or a redirect. The verb checks the right again
when it writes (G43); the page says who was faster, and when (G40).
"""

import uuid
from collections.abc import Callable, Sequence
from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_http_methods, require_POST

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import desk
from tasks_app.admin import door, refusals
from tasks_app.admin.base import ConsoleAdmin, Route
from tasks_app.admin.human.form import DecisionForm
from tasks_app.admin.human.page import page_of
from tasks_app.desk import Shown
from tasks_app.models import HumanRequest, Question

_DONE = {
    "approve": "Approved.",
    "reject": "Rejected.",
    "select": "Your choice was sent.",
    "modify": "Your value was sent.",
}
Verb = Callable[[Shown], None]


class DecidingAdmin(ConsoleAdmin[Question]):
    """Own pages of HiL requests."""

    def has_view_permission(
        self, request: HttpRequest, obj: Question | None = None
    ) -> bool:
        """Whoever may decide at some level sees the inbox."""
        allowed = super().has_view_permission(request, obj)
        return allowed or bool(door.levels(request))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the app stands in the index."""
        return self.has_view_permission(request)

    def routes(self) -> Sequence[Route]:
        """One page and two buttons."""
        pages = require_http_methods(["GET", "HEAD", "POST"])
        return (
            ("<uuid:pk>/decide/", pages(self.decide), "decide"),
            ("<uuid:pk>/claim/", require_POST(self.claim), "claim"),
            ("<uuid:pk>/release/", require_POST(self.release), "release"),
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """Links made elsewhere in the admin end on the decide page."""
        return HttpResponseRedirect(self.url("decide", object_id))

    def decide(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Show the request; with POST, decide it."""
        question = self._question(request, pk)
        if request.method != "POST":
            return page_of(self, request, question, DecisionForm(question))
        form = DecisionForm(question, request.POST)
        try:
            return self._decide(request, question, form)
        except SynapseError as refused:
            if refusals.is_bad_input(refused):
                form.refuse(refused)
                return page_of(self, request, question, form, status=422)
            return self._refused(request, pk, refused)

    def claim(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Take it in hand, so that others see it is taken."""
        return self._hold(request, pk, partial(desk.claim, user=door.operator(request)))

    def release(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Give it back to the inbox."""
        verb = partial(desk.release, user=door.operator(request))
        return self._hold(request, pk, verb, back_to="changelist")

    def _decide(
        self, request: HttpRequest, question: Question, form: DecisionForm
    ) -> HttpResponse:
        user = door.operator(request)
        if not desk.may_decide(user, question):
            raise SynapseError(Code.FORBIDDEN)
        shown = form.shown()
        if not question.is_open:
            raise SynapseError(Code.ALREADY_DECIDED)
        decision = form.decision()
        if decision is None:
            return page_of(self, request, question, form, status=422)
        desk.decide(shown, decision, user)
        self.log_change(request, question, f"Decided: {decision.action}.")
        messages.success(request, f"{_DONE[decision.action]} The agent goes on.")
        return HttpResponseRedirect(self.url("changelist"))

    def _hold(
        self, request: HttpRequest, pk: uuid.UUID, verb: Verb, back_to: str = "decide"
    ) -> HttpResponse:
        self._question(request, pk)
        version = request.POST.get("version", "")
        try:
            if not version.isascii() or not version.isdigit() or len(version) > 9:
                raise SynapseError(Code.QUESTION_CHANGED)
            verb(Shown(question_id=pk, version=int(version)))
        except SynapseError as refused:
            return self._refused(request, pk, refused)
        parts = (pk,) if back_to == "decide" else ()
        return HttpResponseRedirect(self.url(back_to, *parts))

    def _refused(
        self, request: HttpRequest, pk: uuid.UUID, refused: SynapseError
    ) -> HttpResponse:
        """The page as things stand now, with what happened on top."""
        question = self._question(request, pk)
        if refused.code is Code.FORBIDDEN:  # An attempt beyond somebody's rights.
            self.log_change(request, question, "Refused: no right for this level.")
        return page_of(
            self,
            request,
            question,
            DecisionForm(question),
            status=refused.spec.http_status,
            refusal=refusals.explain(refused, question, door.operator(request)),
        )

    def _question(self, request: HttpRequest, pk: uuid.UUID) -> Question:
        if not self.has_view_permission(request):
            door.require(request, "view_humanrequest")
        rows = HumanRequest.objects.select_related("task__caller", "claimed_by")
        question: Question = get_object_or_404(rows, pk=pk)
        return question
