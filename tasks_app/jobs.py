"""Celery entry points. Arguments are names of lanes or peers; the work is in rows.

Connections are kept between jobs (CELERY_DB_REUSE_MAX), so each job first drops one
that a restart of the database has broken.
"""

from typing import Any

from celery import shared_task
from celery.signals import celeryd_after_setup, worker_process_init
from django.db import close_old_connections

from tasks_app import (
    collecting,
    delivery,
    fetching,
    presence,
    queue,
    runner,
    sharing,
)
from tasks_app import sweep as sweeping
from tasks_app.collisions import once_more


@shared_task(name=queue.ADVANCE)
def advance(lane: str) -> None:
    """A lane has work."""
    close_old_connections()
    once_more(lambda: runner.drain(lane))


@shared_task(name=queue.DELIVER)
def deliver() -> None:
    """A callback is due."""
    close_old_connections()
    once_more(delivery.deliver_due)


@shared_task(name=queue.SWEEP)
def sweep() -> None:
    """Heal what nobody else notices."""
    close_old_connections()
    once_more(sweeping.sweep)


@shared_task(name=queue.HEARTBEAT)
def heartbeat() -> None:
    """It is time to tell all peers that we are there."""
    close_old_connections()
    once_more(presence.beat)


@shared_task(name=queue.GREET)
def greet(peer_id: str) -> None:
    """One peer is to hear that we are there."""
    close_old_connections()
    once_more(lambda: presence.greet(peer_id))


@shared_task(name=queue.FETCH)
def fetch() -> None:
    """A peer has files for us."""
    close_old_connections()
    once_more(fetching.fetch_due)


@shared_task(name=queue.MAILBOXES)
def mailboxes() -> None:
    """It is time to look into the mailboxes that peers keep for us."""
    close_old_connections()
    once_more(collecting.ring_all)


@shared_task(name=queue.COLLECT)
def collect(peer_id: str) -> None:
    """One peer may have messages for us."""
    close_old_connections()
    once_more(lambda: collecting.collect(peer_id))


@celeryd_after_setup.connect
def _count_threads(instance: Any, **_: object) -> None:
    """A courier works in the threads that its command line gives it.

    Any: Celery's own worker, without types.
    """
    sharing.courier.resize(instance.concurrency)


@worker_process_init.connect
def _in_pool_process(**_: object) -> None:
    runner.keeper.become_expendable()
