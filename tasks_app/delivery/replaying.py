"""Sending a callback again because an operator wants it."""

import logging
import uuid

from django.db.models import F
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import queue
from tasks_app.delivery.due import unleased
from tasks_app.models import Delivery, DeliveryState

logger = logging.getLogger(__name__)


def replay(delivery_id: uuid.UUID, *, by: str) -> None:
    """Send it now, whatever became of it, and by a fresh schedule if that fails.

    `by` is who asked, for the log. The id stays the same, so a receiver can tell. One
    that is older than a final one which still waits is superseded by that again.
    TASK_NOT_FOUND for an unknown id, CHANGED_MEANWHILE while it is being sent.
    """
    now = timezone.now()
    wanted = Delivery.objects.filter(pk=delivery_id)
    if not wanted.filter(unleased(now)).update(
        state=DeliveryState.WAITING,
        schedule_from=F("tries"),
        next_try_at=now,
        leased_until=None,
        ended_at=None,
    ):
        raise _refusal(known=wanted.exists())
    logger.info("Delivery %s is sent again, as %s asked.", delivery_id, by)
    queue.ring_courier()


def _refusal(*, known: bool) -> SynapseError:
    if known:
        return SynapseError(
            Code.CHANGED_MEANWHILE, "The callback is being sent.", retry_after=1
        )
    return SynapseError(Code.TASK_NOT_FOUND, "There is no such callback.")
