"""Taking one callback for this thread, so that no other sends it meanwhile.

The claim is one conditional UPDATE under the rules of `due`. A lock per endpoint makes
claimants of the same endpoint take turns: two that counted at the same moment would
both see the last free place. A receiver has one endpoint, so the order of what a task
sends to it is safe as well.
"""

import random
from datetime import datetime, timedelta
from functools import partial

from django.db import connection, transaction
from django.db.models import F, Q

from tasks_app.delivery.due import in_flight, leader, sendable, uncallable, unleased
from tasks_app.delivery.looking import look
from tasks_app.delivery.sending import budget_s
from tasks_app.models import Delivery, DeliveryState
from tasks_app.sharing import Threads

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
    "party",
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


def claim_next(now: datetime, threads: Threads) -> Delivery | None:
    """A callback that is this thread's until its `leased_until`, or None.

    `tries` counts this one and fences it: a later claim has a higher number. The thread
    is taken for its party: the caller has to `leave`.
    """
    found = look(now, sated=threads.sated(), after=threads.latest)
    # Couriers that wake together would all reach for the same one.
    random.shuffle(found)
    for candidate in found:
        claim = partial(_claim, candidate, now)
        if claimed := threads.take_for(candidate.party, claim):
            return claimed
    return None


def _claim(candidate: Delivery, now: datetime) -> Delivery | None:
    return _load(candidate) if _is_ours(candidate, now) else None


def _is_ours(candidate: Delivery, now: datetime) -> bool:
    seconds = budget_s(candidate) + _MARGIN_SECONDS
    tries = candidate.tries
    with transaction.atomic():
        _take_turns(candidate)
        flying = in_flight(now)
        if flying.holds(candidate):
            return False
        taken = (
            sendable(now, flying)
            .filter(~uncallable(), pk=candidate.pk, tries=tries)
            .annotate(leader=leader())
            .filter(Q(leader=None) | Q(leader=F("pk")))
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


def _take_turns(candidate: Delivery) -> None:
    """SQLite needs nothing: its transactions are IMMEDIATE, so one at a time anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock(%s, hashtext(%s))",
                [_LOCK_CLASS, f"{candidate.party} {candidate.endpoint}"],
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
