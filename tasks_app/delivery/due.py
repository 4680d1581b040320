"""Which deliveries may be sent now: all rules of order and fairness, as one query.

`claiming` reads candidates by it and claims under it; the sweep asks whether to ring.
"""

from datetime import datetime

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from agents_app.models import Agent, AgentState
from tasks_app.models import Delivery, DeliveryKind, DeliveryState


def anything_due(now: datetime) -> bool:
    """Whether a courier would find something to send."""
    return sendable(now).exists() or wakeables(now).exists()


def sendable(now: datetime) -> QuerySet[Delivery]:
    """Due deliveries that nothing holds back.

    One in flight per task and in order (decision 37), but while the final one waits
    only that one goes: nothing older is sent after it (G22). An endpoint that is busy
    with as many as it may have is passed over, so it delays nobody else (G24).
    Messages are in order per task and peer: what a former executor does not take must
    not hold up the next one. Given up ones hold up nothing.
    """
    siblings = Delivery.objects.filter(
        Q(peer=None) | Q(peer=OuterRef("peer")),
        task=OuterRef("task"),
        kind=OuterRef("kind"),
        state=DeliveryState.WAITING,
    )
    goes_first = Q(terminal=True) | Q(sequence__lt=OuterRef("sequence"))
    return (
        Delivery.objects.filter(
            unleased(now), state=DeliveryState.WAITING, next_try_at__lte=now
        )
        .exclude(_uncallable())
        .filter(Q(terminal=True) | ~Exists(siblings.filter(goes_first)))
        .filter(~Exists(siblings.filter(leased_until__gt=now)))
        .exclude(endpoint__in=_busy_endpoints(now))
    )


def strandeds(now: datetime) -> QuerySet[Delivery]:
    """Due messages of peers that cannot be called."""
    return Delivery.objects.filter(
        unleased(now), state=DeliveryState.WAITING, next_try_at__lte=now
    ).filter(_uncallable())


def wakeables(now: datetime) -> QuerySet[Delivery]:
    """Parked messages of peers that can be called by now."""
    return Delivery.objects.filter(
        unleased(now),
        kind=DeliveryKind.MESSAGE,
        state=DeliveryState.WAITING,
        next_try_at=None,
    ).exclude(_uncallable())


def _uncallable() -> Q:
    """A message whose peer is disabled or has no endpoint.

    Not a join: an UPDATE with one would not look at its rows again under a race.
    """
    callable_peer = Agent.objects.filter(pk=OuterRef("peer"), endpoint__gt="")
    enabled = callable_peer.exclude(state=AgentState.DISABLED)
    return Q(~Exists(enabled), kind=DeliveryKind.MESSAGE)


def unleased(now: datetime) -> Q:
    """Nobody is sending it; an expired lease is that of a courier who died."""
    return Q(leased_until=None) | Q(leased_until__lte=now)


def _busy_endpoints(now: datetime) -> Subquery:
    in_flight = Delivery.objects.filter(
        state=DeliveryState.WAITING, leased_until__gt=now
    )
    counted = in_flight.order_by().values("endpoint").annotate(number=Count("pk"))
    full = counted.filter(number__gte=settings.SYNAPSE_CALLBACK_PER_ENDPOINT)
    return Subquery(full.values("endpoint"))
