"""The list of info requests: what is missing, from whom, until when."""

from django.contrib.admin import ShowFacets
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from tasks_app.admin import finding, refusals
from tasks_app.admin.filters import InfoFilter, TaskTypeFilter
from tasks_app.admin.framework import display
from tasks_app.admin.info.providing import ProvidingAdmin
from tasks_app.admin.listing import (
    TASK_BLOBS,
    age_cell,
    due_cell,
    find_questions,
)
from tasks_app.admin.summary import summary_of
from tasks_app.admin.tree import one_line
from tasks_app.models import Question


class InfoRequestAdmin(ProvidingAdmin):
    """The list; the page behind it is in `providing`."""

    list_display = ("asked", "missing", "task_type", "caller", "age", "due", "closed")
    list_display_links = ("asked",)
    row_page = "provide"
    list_filter = (InfoFilter, TaskTypeFilter, "task__caller")
    list_select_related = ("task__caller",)
    search_fields = ("task__id",)
    search_help_text = finding.HELP
    show_facets = ShowFacets.NEVER
    sortable_by = ("due",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        """Without large values."""
        blobs = (f"task__{name}" for name in TASK_BLOBS)
        return super().get_queryset(request).defer(*blobs)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """By deadline; settled ones newest first."""
        return ("-id",) if request.GET.get("box") == "closed" else ("due_at", "id")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Question], search_term: str
    ) -> tuple[QuerySet[Question], bool]:
        """By task, or by the id of the request itself."""
        return find_questions(queryset, search_term)

    @display("What is asked")
    def asked(self, question: Question) -> str:
        return summary_of(question)

    @display("Still missing")
    def missing(self, question: Question) -> str:
        names = (str(field["name"]) for field in question.missing_fields)
        left = [name for name in names if name not in question.provided]
        return one_line(", ".join(left), 80) or "—"

    @display("Task type")
    def task_type(self, question: Question) -> str:
        return question.task.task_type

    @display("Caller")
    def caller(self, question: Question) -> str:
        return question.task.asker

    @display("Age")
    def age(self, question: Question) -> SafeString:
        return age_cell(question.created_at, timezone.now())

    @display("Due", ordering="due_at")
    def due(self, question: Question) -> SafeString:
        return due_cell(question, timezone.now())

    @display("Answered by")
    def closed(self, question: Question) -> str:
        return refusals.person(question.closed_by) or "—"
