"""Messages for peers that cannot be called: they wait without a next try.

A peer without an endpoint fetches them from its mailbox; a disabled one gets nothing
until it is enabled again.
"""

from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from agents_app.models import Agent
from tasks_app import queue
from tasks_app.delivery.due import TO_PEERS, unleased, wakeables
from tasks_app.models import Delivery, DeliveryState


def wake(peer: Agent) -> None:
    """The peer can be called (again): whatever waits for it is due now.

    Call it when an endpoint is set or an agent is enabled; does nothing while it still
    cannot be called.
    """
    now = timezone.now()
    waiting = Delivery.objects.filter(
        unleased(now),
        Q(next_try_at=None) | Q(next_try_at__gt=now),
        kind__in=TO_PEERS,
        state=DeliveryState.WAITING,
        peer=peer,
    )
    if waiting.update(next_try_at=now):
        queue.ring_courier()


def settle(now: datetime) -> None:
    """Wake what was parked but can be sent by now.

    This catches a peer that was changed while its messages were being parked.
    Optimization: asks first, because on SQLite every UPDATE takes the write lock.
    """
    found = wakeables(now)
    if found.exists():
        found.update(next_try_at=now)
