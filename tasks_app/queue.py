"""The doorbell: "there is work in this lane". Never the truth, which is a row.

    lifecycle ─on commit→ ring(lane) ─broker→ jobs.advance(lane) → heard(lane) → claim

A flag beside the broker says that a bell is outstanding, so that a busy lane is rung
once and not once a task: publishing costs more than an insert. Whoever hears the bell
takes the flag down before looking at the rows; a flag that lost its bell runs out, and
the sweep rings for what is left. Extra or lost bells do no harm: a flag that cannot be
read counts as down.
"""

import logging
import threading
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
MAILBOXES = "synapse.mailboxes"
COLLECT = "synapse.collect"

COURIER = "courier"
_LANE_PREFIX = "lane."

# How long a flag may outlive its bell.
_FLAG_SECONDS = 5
# The flag of a mailbox stays up until the round is over, which takes longer.
_COLLECT_FLAG_SECONDS = 30
# Later bells are left to the sweep: the broker is no place for long waits.
LONGEST_WAIT_SECONDS = 60.0
# Rings for the same thing that are closer together than this are one.
_APART_SECONDS = 0.01
# After the broker or the flags failed, submits do not wait for them again for this long
# (G08). How long one waits is in the settings: BELL_SECONDS and FLAG_SECONDS.
_REST_SECONDS = 5.0

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Neighbour:
    """What this process knows about the health of something that it needs."""

    resting_until: float = 0.0

    @property
    def rests(self) -> bool:
        """Whether it failed a moment ago."""
        return time.monotonic() < self.resting_until

    def rest(self) -> None:
        """It failed: leave it alone for a while."""
        self.resting_until = time.monotonic() + _REST_SECONDS


@dataclass(frozen=True, slots=True)
class _Ring:
    """One bell: the same for everybody who rings it."""

    job: str
    arguments: tuple[str, ...]
    queue: str


class _Echo:
    """Of many rings for the same thing in a moment, the first sounds and the last.

    Optimization: a worker that keeps up takes the flag down after each task, so each
    submit would publish, which costs more than the insert. What rings within
    `_APART_SECONDS` after another sounds once, at the end of it, from a thread. A
    process that ends in between leaves that bell to the sweep.
    """

    def __init__(self) -> None:
        self._sounded: dict[_Ring, float] = {}
        self._late: set[_Ring] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def may_sound(self, ring: _Ring) -> bool:
        """Whether to sound it now; if not, it will sound in a moment."""
        now = time.monotonic()
        with self._changed:
            if now - self._sounded.get(ring, -_APART_SECONDS) >= _APART_SECONDS:
                self._sounded[ring] = now
                return True
            if ring not in self._late:
                self._late.add(ring)
                self._ensure_thread()
                self._changed.notify()
            return False

    def _ensure_thread(self) -> None:
        # Not alive after a fork either.
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="bells", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._late:
                    self._changed.wait()
            time.sleep(_APART_SECONDS)
            with self._changed:
                late, self._late = self._late, set()
                self._sounded |= dict.fromkeys(late, time.monotonic())
            for ring in late:
                _sound(ring, 0)


_echo = _Echo()
_broker = _Neighbour()
_flags = _Neighbour()


def queue_of(lane: str) -> str:
    """The Celery queue that carries the bells of a lane."""
    return _LANE_PREFIX + lane


def ring(lane: str, *, in_seconds: float = 0) -> None:
    """Wake a worker of this lane once the current transaction is committed.

    Not at all if it is to be later than LONGEST_WAIT_SECONDS: then the sweep does.
    """
    _ring_later(ADVANCE, [lane], queue_of(lane), in_seconds)


def ring_courier(*, in_seconds: float = 0) -> None:
    """Wake the courier, in the same way: a callback is due."""
    _ring_later(DELIVER, [], COURIER, in_seconds)


def ring_peer(peer_id: str) -> None:
    """Have a heartbeat sent to a peer: a job of its own, at most one at a time."""
    transaction.on_commit(lambda: _ring(GREET, [peer_id], COURIER, 0))


def ring_fetch(*, in_seconds: float = 0) -> None:
    """Have files fetched that peers keep for us."""
    transaction.on_commit(lambda: _ring(FETCH, [], COURIER, in_seconds))


def ring_mailbox(peer_id: str) -> None:
    """Have a peer's mailbox looked at; not while another job is at it."""
    transaction.on_commit(lambda: _ring(COLLECT, [peer_id], COURIER, 0))


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


def mailbox_done(peer_id: str) -> None:
    """The round at a peer's mailbox is over: only now may another one begin."""
    _take_down(_flag(COLLECT, [peer_id], COURIER))


def _flag(job: str, arguments: list[str], queue: str) -> str:
    """Lanes and the courier have one bell each; others ring for what they name."""
    return queue if job in (ADVANCE, DELIVER) else ".".join((job, *arguments))


def _ring_later(job: str, arguments: list[str], queue: str, in_seconds: float) -> None:
    if in_seconds <= LONGEST_WAIT_SECONDS:
        transaction.on_commit(lambda: _ring(job, arguments, queue, in_seconds))


def _ring(job: str, arguments: list[str], queue: str, in_seconds: float) -> None:
    ring = _Ring(job, tuple(arguments), queue)
    if in_seconds or _echo.may_sound(ring):
        _sound(ring, in_seconds)


def _sound(ring: "_Ring", in_seconds: float) -> None:
    job, arguments, queue = ring.job, list(ring.arguments), ring.queue
    if _broker.rests:
        return
    lasts = _COLLECT_FLAG_SECONDS if job == COLLECT else _FLAG_SECONDS
    if not in_seconds and _is_outstanding(_flag(job, arguments, queue), lasts):
        return
    try:
        current_app.send_task(
            job, args=arguments, queue=queue, countdown=in_seconds or None
        )
    except Exception:
        _broker.rest()
        logger.warning("The broker did not take a bell for %s.", queue, exc_info=True)


def _is_outstanding(queue: str, lasts: int) -> bool:
    """Put the flag up; whether it was up already."""
    if _flags.rests:
        return False
    try:
        return not caches["bells"].add(queue, 1, lasts)
    except Exception:
        _flags.rest()
        logger.warning("The bell flag of %s cannot be read.", queue, exc_info=True)
        return False


def _take_down(queue: str) -> None:
    try:
        caches["bells"].delete(queue)
    except Exception:
        logger.warning("The bell flag of %s stays up.", queue, exc_info=True)
