"""The first page: what waits for this person, before anything else."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from tasks_app.admin import door, waiting
from tasks_app.models import Delivery, DeliveryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """A number that leads to its list; `mood` colours all but zero."""

    title: str
    count: int
    link: str
    mood: str


def overview(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Called by Unfold, whose context it is (Any: a template's)."""
    counters = [*_decisions(request), *_facts(request), *_dead_letters(request)]
    return context | {"counters": counters}


def _decisions(request: HttpRequest) -> list[Counter]:
    if not door.levels(request):
        return []
    boxes = (
        ("Waiting for a decision of yours", "", waiting.decisions, "info"),
        ("Held by you", "?box=mine", waiting.mine, "good"),
        ("Overdue", "?box=overdue", waiting.overdue, "danger"),
    )
    return [
        Counter(
            title=title,
            count=waiting.count(rows(request)),
            link=_list("humanrequest") + query,
            mood=mood,
        )
        for title, query, rows, mood in boxes
    ]


def _facts(request: HttpRequest) -> list[Counter]:
    if not door.may(request, "provide_info"):
        return []
    return [
        Counter(
            title="Missing information",
            count=waiting.count(waiting.facts()),
            link=_list("inforequest"),
            mood="info",
        )
    ]


def _dead_letters(request: HttpRequest) -> list[Counter]:
    if not door.may(request, "view_delivery"):
        return []
    dead = Delivery.objects.filter(state=DeliveryState.DEAD)
    return [
        Counter(
            title="Dead letters",
            count=waiting.count(dead),
            link=f"{_list('delivery')}?box={DeliveryState.DEAD.value}",
            mood="danger",
        )
    ]


def _list(model: str) -> str:
    return reverse(f"admin:tasks_app_{model}_changelist")
