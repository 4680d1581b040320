"""The doorbell: "there is work in this lane". Never the truth, which is a row.

    lifecycle ─on commit→ ring(lane) ─broker→ jobs.advance(lane) → heard(lane) → claim

A flag beside the broker says that a bell is outstanding, so that a busy lane is rung
once and not once a task: publishing costs more than an insert. Whoever hears the bell
takes the flag down before looking at the rows; a flag that lost its bell runs out, and
the sweep rings for what is left. Extra or lost bells do no harm.
"""

import logging
import time
from dataclasses import dataclass

from celery import current_app
from django.core.cache import caches
from django.db import transaction

ADVANCE = "synapse.advance"
DELIVER = "synapse.deliver"
SWEEP = "synapse.sweep"
HEARTBEAT = "synapse.heartbeat"
GREET = "synapse.greet"
FETCH = "synapse.fetch"

COURIER = "courier"
_LANE_PREFIX = "lane."

# How long a flag may outlive its bell.
_FLAG_SECONDS = 5
# After the broker failed, submits do not wait for it again for this long (G08).
_REST_SECONDS = 5.0

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Broker:
    """What this process knows about the broker's health."""

    resting_until: float = 0.0


_broker = _Broker()


def queue_of(lane: str) -> str:
    """The Celery queue that carries the bells of a lane."""
    return _LANE_PREFIX + lane


def ring(lane: str, *, in_seconds: float = 0) -> None:
    """Wake a worker of this lane once the current transaction is committed.

    `in_seconds`: for short waits only; longer ones are left to the sweep.
    """
    transaction.on_commit(lambda: _ring(ADVANCE, [lane], queue_of(lane), in_seconds))


def ring_courier(*, in_seconds: float = 0) -> None:
    """Wake the courier: a callback is due."""
    transaction.on_commit(lambda: _ring(DELIVER, [], COURIER, in_seconds))


def ring_peer(peer_id: str) -> None:
    """Have a heartbeat sent to a peer: a job of its own, at most one at a time."""
    transaction.on_commit(lambda: _ring(GREET, [peer_id], COURIER, 0))


def ring_fetch(*, in_seconds: float = 0) -> None:
    """Have files fetched that peers keep for us."""
    transaction.on_commit(lambda: _ring(FETCH, [], COURIER, in_seconds))


def heard(lane: str) -> None:
    """The bell of a lane arrived: the next ring counts again."""
    _take_down(queue_of(lane))


def courier_heard() -> None:
    """The courier's bell arrived."""
    _take_down(COURIER)


def peer_heard(peer_id: str) -> None:
    """The bell for a peer arrived."""
    _take_down(_flag(GREET, [peer_id], COURIER))


def fetch_heard() -> None:
    """The bell for files arrived."""
    _take_down(_flag(FETCH, [], COURIER))


def _flag(job: str, arguments: list[str], queue: str) -> str:
    """Lanes and the courier have one bell each; others ring for what they name."""
    return queue if job in (ADVANCE, DELIVER) else ".".join((job, *arguments))


def _ring(job: str, arguments: list[str], queue: str, in_seconds: float) -> None:
    if time.monotonic() < _broker.resting_until:
        return
    try:
        flag = _flag(job, arguments, queue)
        if not in_seconds and not caches["bells"].add(flag, 1, _FLAG_SECONDS):
            return
        current_app.send_task(
            job, args=arguments, queue=queue, countdown=in_seconds or None
        )
    except Exception:
        _broker.resting_until = time.monotonic() + _REST_SECONDS
        logger.warning("The broker did not take a bell for %s.", queue, exc_info=True)


def _take_down(queue: str) -> None:
    try:
        caches["bells"].delete(queue)
    except Exception:
        logger.warning("The bell flag of %s stays up.", queue, exc_info=True)
