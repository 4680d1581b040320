"""The page of one info request: what is missing, and a form to supply it."""

import uuid
from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.admin import door, refusals
from tasks_app.admin.base import ConsoleAdmin, Route
from tasks_app.admin.info.form import ProvideForm
from tasks_app.admin.summary import summary_of
from tasks_app.admin.tree import tree
from tasks_app.admin.when import due, span
from tasks_app.models import Attachment, InfoRequest, Question

TEMPLATE = "admin/tasks_app/inforequest/provide.html"


class ProvidingAdmin(ConsoleAdmin[Question]):
    """Own page of info requests."""

    def has_view_permission(
        self, request: HttpRequest, obj: Question | None = None
    ) -> bool:
        """Whoever may supply facts sees what is missing."""
        allowed = super().has_view_permission(request, obj)
        return allowed or door.may(request, "provide_info")

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the app stands in the index."""
        return self.has_view_permission(request)

    def routes(self) -> Sequence[Route]:
        """One page."""
        pages = require_http_methods(["GET", "HEAD", "POST"])
        return (("<uuid:pk>/provide/", pages(self.provide), "provide"),)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """Links made elsewhere in the admin end on the page."""
        return HttpResponseRedirect(self.url("provide", object_id))

    def provide(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Show what is missing; with POST, supply it for the caller."""
        question = self._question(request, pk)
        if request.method != "POST":
            return self._page(request, question, ProvideForm(question))
        door.require(request, "provide_info")
        form = ProvideForm(question, request.POST)
        try:
            return self._provide(request, question, form)
        except SynapseError as refused:
            if refusals.is_bad_input(refused):
                form.refuse(refused)
                return self._page(request, question, form, status=422)
            return self._refused(request, pk, refused)

    def _provide(
        self, request: HttpRequest, question: Question, form: ProvideForm
    ) -> HttpResponse:
        if not question.is_open:
            raise SynapseError(Code.NO_INFO_NEEDED)
        if request.POST.get("version") != str(question.version):
            raise SynapseError(Code.QUESTION_CHANGED)
        provided = form.provided()
        if provided is None:
            return self._page(request, question, form, status=422)
        task = desk.provide(
            question.task_id,
            provided,
            by=door.address(request),
            version=question.version,
        )
        self.log_change(request, question, f"Supplied: {', '.join(provided)}.")
        if task.state is TaskState.INFO_NEEDED:
            messages.warning(request, "Saved. Something is still missing.")
            return HttpResponseRedirect(self.url("provide", question.pk))
        messages.success(request, "The information is complete. The agent goes on.")
        return HttpResponseRedirect(self.url("changelist"))

    def _refused(
        self, request: HttpRequest, pk: uuid.UUID, refused: SynapseError
    ) -> HttpResponse:
        question = self._question(request, pk)
        return self._page(
            request,
            question,
            ProvideForm(question),
            status=refused.spec.http_status,
            refusal=refusals.explain(refused, question, door.operator(request)),
        )

    def _page(
        self,
        request: HttpRequest,
        question: Question,
        form: ProvideForm,
        *,
        status: int = 200,
        refusal: str = "",
    ) -> HttpResponse:
        now = timezone.now()
        user = door.operator(request)
        return self.page(
            request,
            TEMPLATE,
            title=summary_of(question),
            original=question,
            status=status,
            refusal=refusal,
            question=question,
            task=question.task,
            form=form,
            due=due(question.due_at, now),
            age=span(now - question.created_at),
            payload=tree(question.task.payload),
            known=tree(question.provided),
            files=list(Attachment.objects.filter(task=question.task_id)),
            may_download=door.may(request, "view_attachment"),
            may_see_task=door.may(request, "view_task"),
            usable=question.is_open
            and question.owner == "us"
            and door.may(request, "provide_info"),
            ending="" if question.is_open else refusals.ending(question, user),
        )

    def _question(self, request: HttpRequest, pk: uuid.UUID) -> Question:
        if not self.has_view_permission(request):
            door.require(request, "view_inforequest")
        rows = InfoRequest.objects.select_related("task__caller")
        question: Question = get_object_or_404(rows, pk=pk)
        return question
