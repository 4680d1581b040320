"""Which callbacks may be sent now: all rules of order and fairness, as one query.

`claiming` reads candidates by it and claims under it; the sweep asks whether to ring.
"""

from datetime import datetime

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from tasks_app.models import Delivery, DeliveryState


def anything_due(now: datetime) -> bool:
    """Whether a courier would find something to send."""
    return sendable(now).exists()


def sendable(now: datetime) -> QuerySet[Delivery]:
    """Due callbacks that nothing holds back.

    One in flight per task and in order (decision 37), but while the final one waits
    only that one goes: nothing older is sent after it (G22). An endpoint that is busy
    with as many as it may have is passed over, so it delays nobody else (G24).
    """
    siblings = Delivery.objects.filter(
        task=OuterRef("task"), kind=OuterRef("kind"), state=DeliveryState.WAITING
    )
    goes_first = Q(terminal=True) | Q(sequence__lt=OuterRef("sequence"))
    return (
        Delivery.objects.filter(
            unleased(now), state=DeliveryState.WAITING, next_try_at__lte=now
        )
        .filter(Q(terminal=True) | ~Exists(siblings.filter(goes_first)))
        .filter(~Exists(siblings.filter(leased_until__gt=now)))
        .exclude(endpoint__in=_busy_endpoints(now))
    )


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
