"""Messages that a peer shall not get any more, because its task went another way."""

from datetime import datetime

from django.db.models import Q

from agents_app.protocol.addresses import Party, split_address
from tasks_app.changes import Snapshot
from tasks_app.delivery.advancing import advance_later
from tasks_app.delivery.due import unleased
from tasks_app.models import Delivery, DeliveryKind, DeliveryState


def withdraw(task: Snapshot, now: datetime) -> None:
    """Drop what waits for the executor of this snapshot, up to its generation; files.

    One that is on its way just now may arrive; the cancel behind it says what to do.
    """
    Delivery.objects.filter(
        unleased(now),
        Q(kind=DeliveryKind.MESSAGE, sequence__lte=task.generation)
        | Q(kind=DeliveryKind.FILE),
        state=DeliveryState.WAITING,
        task=task.id,
        endpoint=task.executor,
    ).update(
        state=DeliveryState.SUPERSEDED,
        next_try_at=None,
        leased_until=None,
        ended_at=now,
    )
    party, peer_id = split_address(task.executor)
    if party is Party.AGENT:
        advance_later((task.id, DeliveryKind.MESSAGE, peer_id))
