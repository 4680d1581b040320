"""The inbox: what is open, most urgent on top, and who holds it."""

from typing import Any

from django.contrib.admin import ShowFacets
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from tasks_app.admin import door, finding, refusals
from tasks_app.admin.filters import InboxFilter, LevelFilter, TaskTypeFilter
from tasks_app.admin.framework import display
from tasks_app.admin.human.deciding import DecidingAdmin
from tasks_app.admin.listing import (
    TASK_BLOBS,
    age_cell,
    due_cell,
    find_questions,
    quiet_cell,
)
from tasks_app.admin.summary import summary_of
from tasks_app.desk.deciding import ROLES
from tasks_app.models import Question, QuestionState

# Any in the display methods: the row carries the annotations of `get_queryset`.
Row = Any
_NO_BLOBS = (
    *(f"task__{name}" for name in TASK_BLOBS),
    "suggested_value",
    "decision_schema",
    "options",
    "provided",
    "missing_fields",
)


class HumanRequestAdmin(DecidingAdmin):
    """The list; the pages behind it are in `deciding`."""

    list_display = ("asked", "level_label", "task_type", "caller", "age", "due", "held")
    list_display_links = ("asked",)
    row_page = "decide"
    list_filter = (InboxFilter, LevelFilter, TaskTypeFilter, "task__caller")
    list_select_related = ("task__caller", "claimed_by")
    search_fields = ("task__id",)
    search_help_text = finding.HELP
    show_facets = ShowFacets.NEVER
    sortable_by = ("due", "level_label")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        """Without large values, and with what depends on who looks."""
        mine = Q(claimed_by=door.operator(request))
        within_rights = Q(level__in=door.levels(request) or [0])
        rows = super().get_queryset(request).defer(*_NO_BLOBS)
        return rows.annotate(
            is_mine=ExpressionWrapper(mine, output_field=BooleanField()),
            is_for_me=ExpressionWrapper(within_rights, output_field=BooleanField()),
        )

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        """By deadline; decided ones newest first."""
        return ("-id",) if request.GET.get("box") == "decided" else ("due_at", "id")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Question], search_term: str
    ) -> tuple[QuerySet[Question], bool]:
        """By task, or by the id of the request itself."""
        return find_questions(queryset, search_term)

    @display("What is asked")
    def asked(self, row: Row) -> str:
        return summary_of(row)

    @display(
        description="Level",
        ordering="level",
        label={1: "info", 2: "warning", 3: "danger"},
    )
    def level_label(self, row: Row) -> tuple[int, str]:
        return row.level, f"{row.level} {ROLES[row.level]}"

    @display("Task type")
    def task_type(self, row: Row) -> str:
        return str(row.task.task_type)

    @display("Caller")
    def caller(self, row: Row) -> str:
        return str(row.task.asker)

    @display("Age")
    def age(self, row: Row) -> SafeString:
        return age_cell(row.created_at, timezone.now())

    @display("Due", ordering="due_at")
    def due(self, row: Row) -> SafeString:
        return due_cell(row, timezone.now())

    @display("Who")
    def held(self, row: Row) -> SafeString | str:
        """Whose it is, and the button that changes it: the list is one POST form."""
        if not row.is_open:
            return refusals.person(row.closed_by) or "—"
        if row.owner != "us":
            return quiet_cell(row.task.requester)
        if row.is_mine:
            return self._button(row, "release", "Release", "you")
        if row.claimed_by:
            return format_html('<span class="sy-held">{}</span>', row.claimed_by)
        if row.is_for_me:
            return self._button(row, "claim", "Claim", "")
        return quiet_cell("nobody")

    def _button(self, row: Row, name: str, label: str, holder: str) -> SafeString:
        return format_html(
            '<span class="sy-held">{} <button class="sy-button sy-small" '
            'type="submit" formnovalidate formaction="{}" name="version" value="{}">'
            "{}</button></span>",
            holder,
            self.url(name, row.pk),
            row.version,
            label,
        )


def open_count(limit: int = 1_000) -> int:
    """How many wait, counted up to a limit."""
    rows = Question.objects.filter(
        kind=Question.Kind.HUMAN, state=QuestionState.OPEN, owner="us"
    )
    return rows.values("pk")[:limit].count()
