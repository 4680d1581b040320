"""The inbox: what is open, most urgent on top, and who holds it."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from tasks_app import desk
from tasks_app.admin import door, refusals
from tasks_app.admin.filters import InboxFilter, LevelFilter, TaskTypeFilter
from tasks_app.admin.framework import display
from tasks_app.admin.human.deciding import DecidingAdmin
from tasks_app.admin.listing import quiet_cell
from tasks_app.admin.outcomes import outcome_of
from tasks_app.desk.deciding import ROLES
from tasks_app.models import Question

# Any in the display methods: the row carries the annotations of `get_queryset`.
Row = Any


class HumanRequestAdmin(DecidingAdmin):
    """The list; the pages behind it are in `deciding`."""

    closed_box = "decided"
    open_columns = ("asked", "level_label", "task_type", "caller", "age", "due", "held")
    closed_columns = (
        "asked",
        "level_label",
        "task_type",
        "caller",
        "outcome",
        "ended_by",
        "ended",
    )
    list_display = open_columns
    unlisted = (
        "suggested_value",
        "decision_schema",
        "options",
        "provided",
        "missing_fields",
    )
    list_filter = (InboxFilter, LevelFilter, TaskTypeFilter, "task__caller")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Question]:
        """With what depends on who looks."""
        user = door.operator(request)
        mine = Q(claimed_by=user)
        for_me = Q(claimed_by=None, level__in=door.levels(request) or [0])
        # Like the others per row, so that a cell needs nothing but its row.
        freed = ~Q(claimed_by=None) if desk.may_release(user) else Q(pk=None)
        rows = super().get_queryset(request)
        return rows.annotate(
            is_mine=_flag(mine), is_for_me=_flag(for_me), may_be_freed=_flag(freed)
        )

    @display(
        description="Level",
        ordering="level",
        label={1: "info", 2: "warning", 3: "danger"},
    )
    def level_label(self, row: Row) -> tuple[int, str]:
        return row.level, f"{row.level} {ROLES[row.level]}"

    @display("Who")
    def held(self, row: Row) -> SafeString | str:
        """Whose it is, and the button that changes it: the list is one POST form."""
        if not row.is_open:
            return f"{outcome_of(row)[1]} by {refusals.person(row.closed_by) or '—'}"
        if row.owner != "us":
            return quiet_cell(row.task.requester)
        if row.is_mine:
            return self._button(row, "release", "Release", "you")
        if row.may_be_freed:
            return self._button(row, "release", "Release", row.claimed_by)
        if row.claimed_by:
            return format_html('<span class="sy-held">{}</span>', row.claimed_by)
        if row.is_for_me:
            return self._button(row, "claim", "Claim", "")
        return quiet_cell("nobody")

    def _button(
        self, row: Row, name: str, label: str, holder: User | str
    ) -> SafeString:
        return format_html(
            '<span class="sy-held">{} <button class="sy-button sy-small" '
            'type="submit" formnovalidate formaction="{}" name="version" value="{}">'
            "{}</button></span>",
            holder,
            self.url(name, row.pk),
            row.version,
            label,
        )


def _flag(condition: Q) -> "ExpressionWrapper[Q]":
    return ExpressionWrapper(condition, output_field=BooleanField())
