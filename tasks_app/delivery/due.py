"""Which deliveries may be sent now: all rules of order and fairness.

`claiming` reads candidates by it and claims under it; the sweep asks whether to ring.
Deliveries of one task stand in a queue, and only its leader is sent. The others are
put aside when they are looked at: due again soon after the leader is, or as soon as it
is done with (`advancing`). So a claim never looks through a backlog that waits.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import (
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    UUIDField,
    When,
)
from django.db.models.functions import Coalesce

from agents_app.models import Agent, AgentState
from tasks_app.models import Delivery, DeliveryKind, DeliveryState

Queue = tuple[UUID | None, str, str | None]
# What goes to a peer and not to a caller.
TO_PEERS = (DeliveryKind.MESSAGE, DeliveryKind.FILE)
_QUEUE = ("task_id", "kind", "peer_id")


@dataclass(frozen=True, slots=True)
class InFlight:
    """What is being sent at one moment, by all couriers."""

    # Until when each queue, if it is one, has a delivery under way.
    queues: dict[Queue, datetime]
    # Endpoints of parties that have as many under way as they may (G24).
    full: Collection[tuple[str, str]]

    def holds(self, delivery: Delivery) -> bool:
        """Whether it has to wait for one of these."""
        if (delivery.party, delivery.endpoint) in self.full:
            return True
        return queue_of(delivery) in self.queues


def in_flight(now: datetime) -> InFlight:
    """Read it: a few rows, by an index of their own."""
    rows = Delivery.objects.filter(state=DeliveryState.WAITING, leased_until__gt=now)
    queues: dict[Queue, datetime] = {}
    numbers: dict[tuple[str, str], int] = {}
    for row in rows.only(*_QUEUE, "party", "endpoint", "leased_until").order_by():
        assert row.leased_until is not None  # noqa: S101 - by the filter
        if row.task_id is not None:
            queues[queue_of(row)] = row.leased_until
        place = (row.party, row.endpoint)
        numbers[place] = numbers.get(place, 0) + 1
    most = settings.SYNAPSE_CALLBACK_PER_ENDPOINT
    return InFlight(queues, [place for place, n in numbers.items() if n >= most])


def queue_of(delivery: Delivery) -> Queue:
    """Whose turns it takes: messages are in order per task and peer.

    What a former executor does not take must not hold up the next one.
    """
    return delivery.task_id, delivery.kind, delivery.peer_id


def anything_due(now: datetime) -> bool:
    """Whether a courier would find something to do."""
    return due(now).exists() or wakeables(now).exists()


def due(now: datetime) -> QuerySet[Delivery]:
    """What may be looked at: whether it is sent, `claiming` finds out."""
    return Delivery.objects.filter(
        unleased(now), state=DeliveryState.WAITING, next_try_at__lte=now
    )


def sendable(
    now: datetime, flying: InFlight, sated: Sequence[str] = ()
) -> QuerySet[Delivery]:
    """Due ones for whose party and endpoint there is room, so they delay no others."""
    found = due(now).exclude(party__in=sated) if sated else due(now)
    for party, endpoint in flying.full:
        found = found.exclude(party=party, endpoint=endpoint)
    return found


def leader() -> Coalesce:
    """The id of the one that goes first in a delivery's queue (decision 37).

    The final one if it waits: nothing older is sent after it (G22); it is always the
    last of its task. Else the oldest; given up ones hold up nothing. None where there
    is no queue.
    """
    queue = waiting(task=OuterRef("task"), kind=OuterRef("kind")).filter(
        Q(peer=None) | Q(peer=OuterRef("peer"))
    )
    final = Case(When(terminal=True, then=F("pk")), output_field=UUIDField())
    last = queue.order_by("-sequence").annotate(final=final).values("final")[:1]
    oldest = queue.order_by("sequence").values("pk")[:1]
    return Coalesce(Subquery(last), Subquery(oldest))


def waiting(**queue: object) -> QuerySet[Delivery]:
    """What is not done with."""
    return Delivery.objects.filter(state=DeliveryState.WAITING, **queue)


def wakeables(now: datetime) -> QuerySet[Delivery]:
    """Parked messages of peers that can be called by now."""
    return waiting(kind__in=TO_PEERS, next_try_at=None).filter(
        unleased(now), ~uncallable()
    )


def uncallable() -> Q:
    """A message whose peer is disabled or has no endpoint.

    Not a join: an UPDATE with one would not look at its rows again under a race.
    """
    callable_peer = Agent.objects.filter(pk=OuterRef("peer"), endpoint__gt="")
    enabled = callable_peer.exclude(state=AgentState.DISABLED)
    return Q(~Exists(enabled), kind__in=TO_PEERS)


def unleased(now: datetime) -> Q:
    """Nobody is sending it; an expired lease is that of a courier that died."""
    return Q(leased_until=None) | Q(leased_until__lte=now)
