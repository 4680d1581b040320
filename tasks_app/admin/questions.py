"""What both kinds of requests have in common: their lists and their pages."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib.admin import ShowFacets
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.admin import door, files, finding, moods, names, refusals
from tasks_app.admin.framework import display
from tasks_app.admin.listing import (
    TASK_BLOBS,
    age_cell,
    due_cell,
    find_questions,
    moment_cell,
)
from tasks_app.admin.outcomes import outcome_of
from tasks_app.admin.rows import RowPages
from tasks_app.admin.summary import summary_of
from tasks_app.admin.tree import tree
from tasks_app.admin.when import due, span
from tasks_app.desk.deadlines import is_late
from tasks_app.models import Attachment, Question

# Nobody keeps more files on one task by accident.
_MAX_FILES = 100


class QuestionAdmin(RowPages[Question]):
    """Open ones by their deadline, closed ones by how and when they ended."""

    noun: ClassVar[str]
    closed_box: ClassVar[str]
    open_columns: ClassVar[tuple[str, ...]]
    closed_columns: ClassVar[tuple[str, ...]]
    unlisted: ClassVar[tuple[str, ...]] = ()

    list_display_links = ("asked",)
    list_select_related = ("task__caller", "claimed_by")
    search_fields = ("task__id",)
    search_help_text = finding.HELP
    show_facets: ClassVar[ShowFacets] = ShowFacets.NEVER
    sortable_by = ("due", "level_label")

    def name_of(self, row: Question) -> str:
        """Short enough for a history."""
        return f"{self.noun}: {summary_of(row)}"

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        """By the box: a closed request has no deadline any more, an open one no end."""
        return self.closed_columns if self._closed(request) else self.open_columns

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        """Without large values."""
        blobs = (*(f"task__{name}" for name in TASK_BLOBS), *self.unlisted)
        return super().get_queryset(request).defer(*blobs)

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """By deadline; closed ones newest first."""
        return ("-id",) if self._closed(request) else ("due_at", "id")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Question], search_term: str
    ) -> tuple[QuerySet[Question], bool]:
        """By task, or by the id of the request itself."""
        return find_questions(queryset, search_term)

    def rows(self) -> QuerySet[Question]:
        """With the task, its caller and the holder."""
        return super().rows().select_related("task__caller", "claimed_by")

    def context_of(self, request: HttpRequest, row: Question) -> dict[str, Any]:
        """The task it is about, its files, and how it ended if it did."""
        now = timezone.now()
        user = door.operator(request)
        return {
            "title": summary_of(row),
            # It would stand in the breadcrumbs by its id.
            "original": None,
            "question": row,
            "task": row.task,
            "due": due(row.due_at, now),
            "age": span(now - row.created_at),
            "payload": tree(row.task.payload),
            "files": names.to_be_shown(
                Attachment.objects.filter(task=row.task_id)[:_MAX_FILES]
            ),
            "is_late": row.is_open and is_late(row, now),
            "may_download": files.may_open(request, row.task_id),
            "may_see_task": door.may(request, "view_task"),
            "ending": "" if row.is_open else refusals.ending(row, user),
        }

    def refused(
        self, request: HttpRequest, row: Question, error: SynapseError, **more: object
    ) -> HttpResponse:
        """The page as things stand now, with what happened on top.

        An attempt beyond somebody's rights stays on record (G43).
        """
        if error.code is Code.FORBIDDEN:
            self.log_change(request, row, f"Refused: {error.message}")
        return self.show(
            request,
            row,
            status=error.spec.http_status,
            refusal=refusals.explain(error, row, door.operator(request)),
            **more,
        )

    @display("What is asked")
    def asked(self, row: Question) -> str:
        return summary_of(row)

    @display("Task type")
    def task_type(self, row: Question) -> str:
        return row.task.task_type

    @display("Caller")
    def caller(self, row: Question) -> str:
        return str(row.task.asker)

    @display("Age")
    def age(self, row: Question) -> SafeString:
        return age_cell(row.created_at, timezone.now())

    @display("Due", ordering="due_at")
    def due(self, row: Question) -> SafeString:
        return due_cell(row, timezone.now())

    @display("Outcome", label=moods.labels(moods.OUTCOME))
    def outcome(self, row: Question) -> tuple[str, str]:
        return outcome_of(row)

    @display("When")
    def ended(self, row: Question) -> SafeString:
        return moment_cell(row.closed_at, timezone.now())

    @display("By")
    def ended_by(self, row: Question) -> str:
        return refusals.person(row.closed_by) or "—"

    def _closed(self, request: HttpRequest) -> bool:
        query: Mapping[str, object] = request.GET
        return query.get("box") == self.closed_box
