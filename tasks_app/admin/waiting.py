"""What waits for a person: the numbers in the sidebar and on the first page."""

from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from tasks_app.admin import door
from tasks_app.models import Question, QuestionState

# Nobody works off more; a count of all of them would cost every page.
COUNT_UP_TO = 1_000


def decisions(request: HttpRequest) -> QuerySet[Question]:
    """Open, of their levels, and in nobody else's hand."""
    free = Q(claimed_by=None) | Q(claimed_by=door.operator(request))
    return Question.objects.filter(
        free,
        owner="us",
        kind=Question.Kind.HUMAN,
        state=QuestionState.OPEN,
        level__in=door.levels(request),
    )


def mine(request: HttpRequest) -> QuerySet[Question]:
    """What they hold."""
    return decisions(request).filter(claimed_by=door.operator(request))


def overdue(request: HttpRequest) -> QuerySet[Question]:
    """What the next sweep ends."""
    return decisions(request).filter(due_at__lte=timezone.now())


def facts() -> QuerySet[Question]:
    """What callers owe."""
    return Question.objects.filter(
        owner="us", kind=Question.Kind.INFO, state=QuestionState.OPEN
    )


def count(rows: QuerySet[Any]) -> int:
    """How many, up to a limit. Any: rows of whichever table."""
    return rows.order_by().values("pk")[:COUNT_UP_TO].count()
