"""The list of tasks: read-only, newest first."""

from typing import ClassVar

from django.contrib.admin import ShowFacets
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agents_app.protocol.states import TaskState, public_status
from tasks_app.admin import finding, moods
from tasks_app.admin.filters import StatusFilter, TypeOfTaskFilter
from tasks_app.admin.framework import display
from tasks_app.admin.listing import TASK_BLOBS, moment_cell
from tasks_app.admin.task.pages import TaskPages
from tasks_app.admin.when import milliseconds
from tasks_app.models import Task


class TaskAdmin(TaskPages):
    """The list; the page of one task is in `pages`."""

    list_display = (
        "ident",
        "status",
        "task_type",
        "caller",
        "priority",
        "created",
        "duration",
    )
    list_filter = (StatusFilter, "state", TypeOfTaskFilter, "priority", "caller")
    list_select_related = ("caller",)
    search_fields = ("id",)
    search_help_text = finding.HELP
    show_facets: ClassVar[ShowFacets] = ShowFacets.NEVER

    def get_queryset(self, request: HttpRequest) -> QuerySet[Task]:
        """Without large values."""
        return super().get_queryset(request).defer(*TASK_BLOBS)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Task], search_term: str
    ) -> tuple[QuerySet[Task], bool]:
        """By id or external id, both exact: a scan would be slow."""
        if not search_term:
            return queryset, False
        return queryset.filter(finding.by_task(search_term)), False

    @display("Task")
    def ident(self, task: Task) -> SafeString:
        """Its own id, and the caller's below."""
        return format_html(
            '<span class="sy-two sy-mono">{}<small>{}</small></span>',
            task.pk,
            task.external_task_id or "",
        )

    @display("Status", label=moods.labels(moods.TASK))
    def status(self, task: Task) -> tuple[str, str]:
        """What the caller sees, coloured; the exact state in words."""
        return str(public_status(TaskState(task.state))), task.state.replace("_", " ")

    @display("Created")
    def created(self, task: Task) -> SafeString:
        return moment_cell(task.created_at, timezone.now())

    @display("Duration")
    def duration(self, task: Task) -> str:
        """From submit to end."""
        if task.completed_at is None:
            return "—"
        return milliseconds(task.completed_at - task.created_at)
