"""The next one of a queue: due as soon as the one before it is out of the way."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from tasks_app import queue as bells
from tasks_app.delivery.due import Queue
from tasks_app.models import Delivery, DeliveryState


def advance(queue: Queue, *, after: UUID | None = None) -> bool:
    """Bring back the delivery that leads the queue now, if it was put aside.

    Call it after the commit that ended, or let go of, one of the queue: the thread that
    put the next one aside looked before that, so the time of now is later than its own.
    Another that looked may be about to: so one that is due gets the time of now too,
    and that thread passes it over. One that was tried keeps its own schedule, as does
    the one that was let go of (`after`).
    """
    task_id, kind, peer_id = queue
    if task_id is None:
        return False
    waiting = Delivery.objects.filter(
        task_id=task_id, kind=kind, peer_id=peer_id, state=DeliveryState.WAITING
    ).only("terminal", "tries", "schedule_from", "next_try_at")
    leads = waiting.order_by("-sequence").first()
    if leads is not None and not leads.terminal:
        leads = waiting.order_by("sequence").first()
    if leads is None or leads.pk == after or leads.next_try_at is None:
        return False
    untried = waiting.filter(pk=leads.pk, tries=leads.schedule_from)
    return bool(untried.update(next_try_at=timezone.now()))


def advance_later(queue: Queue) -> None:
    """The same once the transaction is committed, with a bell for the courier."""

    def go_on() -> None:
        if advance(queue):
            bells.ring_courier()

    transaction.on_commit(go_on)
