"""The page of one info request: what is missing, and a form to supply it."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.admin import door, refusals
from tasks_app.admin.base import Route
from tasks_app.admin.info.form import ProvideForm
from tasks_app.admin.questions import QuestionAdmin
from tasks_app.admin.tree import tree
from tasks_app.desk.deadlines import is_late
from tasks_app.models import Question


class ProvidingAdmin(QuestionAdmin):
    """Own page of info requests; whoever may supply facts sees what is missing."""

    noun = "Info request"
    template = "admin/tasks_app/inforequest/provide.html"
    row_page = "provide"
    opened_by = ("provide_info",)

    def routes(self) -> Sequence[Route]:
        """The page supplies by POST."""
        pages = require_http_methods(["GET", "HEAD", "POST"])
        return (("<uuid:pk>/provide/", pages(self.provide), "provide"),)

    def context_of(self, request: HttpRequest, row: Question) -> dict[str, Any]:
        """With an empty form, unless there is one that was filled in."""
        return super().context_of(request, row) | {
            "form": ProvideForm(row),
            "known": tree(row.provided),
            "usable": row.is_open
            and not is_late(row, timezone.now())
            and row.owner == "us"
            and door.may(request, "provide_info"),
        }

    def provide(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Show what is missing; with POST, supply it for the caller."""
        question = self.row(request, pk)
        if request.method != "POST":
            return self.show(request, question)
        door.require(request, "provide_info")
        form = ProvideForm(question, request.POST)
        try:
            return self._provide(request, question, form)
        except SynapseError as refused:
            if refusals.is_bad_input(refused):
                form.refuse(refused)
                return self.show(request, question, status=422, form=form)
            return self.refused(request, self.row(request, pk), refused)

    def _provide(
        self, request: HttpRequest, question: Question, form: ProvideForm
    ) -> HttpResponse:
        if not question.is_open:
            raise SynapseError(Code.NO_INFO_NEEDED)
        if request.POST.get("version") != str(question.version):
            raise SynapseError(Code.QUESTION_CHANGED)
        provided = form.provided()
        if provided is None:
            return self.show(request, question, status=422, form=form)
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
