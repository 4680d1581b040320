"""Celery entry points. Arguments are names of lanes; the work is in the rows."""

from celery import shared_task
from celery.signals import worker_process_init

from tasks_app import delivery, queue, runner
from tasks_app import sweep as sweeping


@shared_task(name=queue.ADVANCE)
def advance(lane: str) -> None:
    """A lane has work."""
    runner.drain(lane)


@shared_task(name=queue.DELIVER)
def deliver() -> None:
    """A callback is due."""
    delivery.deliver_due()


@shared_task(name=queue.SWEEP)
def sweep() -> None:
    """Heal what nobody else notices."""
    sweeping.sweep()


@worker_process_init.connect
def _in_pool_process(**_: object) -> None:
    runner.keeper.become_expendable()
