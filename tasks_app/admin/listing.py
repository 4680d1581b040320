"""What several lists have in common: search by task, and cells that tell time."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils.html import format_html
from django.utils.safestring import SafeString

from tasks_app.admin import finding
from tasks_app.admin.when import due, span, stamp
from tasks_app.models import Question

# The large values of a task, which no list shows.
TASK_BLOBS = ("payload", "result", "error")


def find_questions(
    queryset: QuerySet[Question], term: str
) -> tuple[QuerySet[Question], bool]:
    """By task, or by the id of the request itself; nothing can come twice."""
    if not term:
        return queryset, False
    wanted = finding.by_task(term, "task__") | finding.by_own_id(term)
    return queryset.filter(wanted), False


def age_cell(since: datetime, now: datetime) -> SafeString:
    """How long ago, with the moment itself on hover."""
    return format_html(
        '<span class="sy-age" title="{}">{} ago</span>', stamp(since), span(now - since)
    )


def moment_cell(moment: datetime | None, now: datetime) -> SafeString:
    """The moment itself, and below it how long ago that was."""
    if moment is None:
        return quiet_cell("—")
    return format_html(
        '<span class="sy-two sy-age">{}<small>{} ago</small></span>',
        stamp(moment),
        span(now - moment),
    )


def due_cell(question: Question, now: datetime) -> SafeString:
    """Late ones stand out; closed ones have no deadline any more."""
    if not question.is_open:
        return quiet_cell("—")
    left = due(question.due_at, now)
    return format_html(
        '<span class="sy-due" data-mood="{}" title="{}">{}</span>',
        left.mood,
        stamp(question.due_at),
        left.text,
    )


def quiet_cell(text: str) -> SafeString:
    """A word that should not draw the eye."""
    return format_html('<span class="sy-quiet">{}</span>', text)
