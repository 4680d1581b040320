"""Taking one callback for this thread, so that no other sends it meanwhile.

The claim is one conditional UPDATE under the rules of `due`. A lock per endpoint makes
claimants of the same endpoint take turns: two that counted at the same moment would
both see the last free place. A receiver has one endpoint, so the order of what a task
sends to it is safe as well.
"""

import random
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction

from tasks_app.delivery.due import sendable, unleased
from tasks_app.models import Delivery, DeliveryState

# How many candidates a claimant reads, to have others when somebody is faster.
_CHOICE = 16
# What a lease lasts beyond the budget of the request: claiming and recording.
_MARGIN_SECONDS = 10.0
# Sets these advisory locks apart from any others.
_LOCK_CLASS = 0x53594E43

# The rows behind it hold payloads and results, which the courier does not need.
_NEEDED = (
    "kind",
    "peer_id",
    "task_id",
    "sequence",
    "terminal",
    "url",
    "endpoint",
    "body",
    "tries",
    "schedule_from",
    "leased_until",
    "task__caller_id",
    "task__callback_token",
    "task__caller__callback_secret",
    "event",
    "peer__endpoint",
    "peer__secrets",
)


def claim_next(now: datetime) -> Delivery | None:
    """A callback that is this thread's until its `leased_until`, or None.

    `tries` counts this one and fences it: a later claim has a higher number.
    """
    first = sendable(now).order_by("next_try_at", "pk")
    found = list(first.only("task_id", "endpoint", "terminal", "tries")[:_CHOICE])
    # Couriers that wake together would all reach for the same one.
    random.shuffle(found)
    for candidate in found:
        if _claim(candidate, now):
            return _load(candidate)
    return None


def _claim(candidate: Delivery, now: datetime) -> bool:
    seconds = settings.SYNAPSE_CALLBACK_TOTAL_SECONDS + _MARGIN_SECONDS
    tries = candidate.tries
    with transaction.atomic():
        _take_turns(candidate.endpoint)
        taken = (
            sendable(now)
            .filter(pk=candidate.pk, tries=tries)
            .update(tries=tries + 1, leased_until=now + timedelta(seconds=seconds))
        )
        if taken and candidate.terminal:
            _supersede_others(candidate, now)
    return bool(taken)


def _load(claimed: Delivery) -> Delivery:
    return (
        Delivery.objects.select_related("task__caller", "peer")
        .only(*_NEEDED)
        .get(pk=claimed.pk)
    )


def _take_turns(endpoint: str) -> None:
    """SQLite needs nothing: its transactions are IMMEDIATE, so one at a time anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock(%s, hashtext(%s))",
                [_LOCK_CLASS, endpoint],
            )


def _supersede_others(final: Delivery, now: datetime) -> None:
    """Give up what was in flight when the final one came, and failed since."""
    Delivery.objects.filter(
        unleased(now),
        kind=final.kind,
        task=final.task_id,
        state=DeliveryState.WAITING,
        terminal=False,
    ).update(
        state=DeliveryState.SUPERSEDED,
        next_try_at=None,
        leased_until=None,
        ended_at=now,
    )
