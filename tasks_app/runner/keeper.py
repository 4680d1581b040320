"""The keeper: one thread a worker process that looks after the tasks it holds.

It renews leases, notices that a task was cancelled, taken over or has run too long,
frees what is in one batch with a task that turned out slow, and stops a handler that
does not listen: first by asking, then by a signal to the thread that runs it, at last
by ending the process (the pool starts a new one; the lease brings the task back).
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterable
from datetime import timedelta
from types import FrameType

from django.conf import settings
from django.db import connection
from django.utils import timezone

from agents_app.host import AttemptStopped, StopReason
from tasks_app import ledger, lifecycle
from tasks_app.runner.held import Held, Phase
from tasks_app.runner.settling import settle_alone, why_lost
from tasks_app.transition import attempts

# How often it looks, and how long a task may run before those behind it are freed.
_LOOK_SECONDS = 0.25
_SLOW_SECONDS = 0.25
# How often it asks the database whether a running attempt is still wanted.
_ASK_SECONDS = 1.0
# How long it keeps its connection without a task.
_REST_SECONDS = 30.0
# One that the pool does not claim: it puts its own handler on nearly all others, also
# on the user signals, after `worker_process_init`. Ignored where nobody handles it.
_SIGNAL = signal.SIGURG

logger = logging.getLogger(__name__)


class Keeper:
    """Knows every task that this process holds."""

    def __init__(self) -> None:
        self._held: list[Held] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._asked_at = 0.0
        self._resting = False
        # Only a process that a pool replaces may be ended, or be sent signals.
        self.expendable = False

    def take(self, held: Iterable[Held]) -> None:
        """Look after these from now on."""
        with self._changed:
            self._held.extend(held)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, name="keeper", daemon=True
                )
                self._thread.start()
            elif self._resting:
                self._changed.notify()

    def start(self, held: Held) -> bool:
        """Its handler begins; False when it was handed back or stopped meanwhile."""
        with self._changed:
            if held not in self._held or held.reason is not None:
                return False
            held.phase = Phase.RUNNING
            held.began_at = time.monotonic()
            return True

    def drop(self, held: Iterable[Held]) -> list[Held]:
        """Not held any more; those that were until now.

        Slot and keeper may both want to write an outcome: who drops it does.
        """
        gone = set(map(id, held))
        with self._changed:
            dropped = [one for one in self._held if id(one) in gone]
            self._held = [one for one in self._held if id(one) not in gone]
        return dropped

    def become_expendable(self) -> None:
        """Called in each pool process: from now on force may be used."""
        self.expendable = True
        signal.signal(_SIGNAL, self._on_signal)

    def _run(self) -> None:
        while True:
            if not self._wait_for_work():
                connection.close()  # Nothing to look after: give it back.
                continue
            # Optimization: not woken for each task; a quick one is over by then.
            time.sleep(_LOOK_SECONDS)
            with self._changed:
                held = list(self._held)
            try:
                self._look(held)
            except ledger.AWAY as error:
                # Those who have something to write wait for it as well.
                logger.warning("The keeper cannot reach the database: %s", error)
                connection.close()
            except Exception:
                logger.exception("The keeper could not look after its tasks.")
                connection.close()

    def _wait_for_work(self) -> bool:
        with self._changed:
            if self._held:
                return True
            self._resting = True
            woken = self._changed.wait(timeout=_REST_SECONDS)
            self._resting = False
            return woken

    def _look(self, held: list[Held]) -> None:
        clock = time.monotonic()
        try:
            self._look_at_rows(held, clock)
        finally:
            # Also when the database is away: the clock runs on.
            for one in held:
                if one.deadline is not None and timezone.now() >= one.deadline:
                    one.stop(StopReason.OVERTIME)
            for one in held:
                if one.reason is not None and one.phase is Phase.RUNNING:
                    self._insist(one, clock)

    def _look_at_rows(self, held: list[Held], clock: float) -> None:
        if clock - self._asked_at >= _ASK_SECONDS:
            self._asked_at = clock
            for one in held:
                _renew_or_stop(one)
        if any(_is_slow(one, clock) for one in held):
            self._hand_back_the_rest(held)
            self._write_what_is_done(held)

    def _hand_back_the_rest(self, held: list[Held]) -> None:
        for one in held:
            with self._changed:
                if one.phase is not Phase.WAITING or one not in self._held:
                    continue
                self._held.remove(one)
            change = attempts.hand_back(
                one.task, now=timezone.now(), policy=lifecycle.policy()
            )
            try:
                lifecycle.commit([change])
            except ledger.AWAY:
                self.take([one])  # Still ours, if the slot gets to it first.
                raise

    def _write_what_is_done(self, held: list[Held]) -> None:
        """What ran before the slow one would wait for it, and die with it."""
        done = [one for one in held if one.phase is Phase.DONE]
        for one in self.drop(done):
            if one.plan is not None:
                settle_alone(one, one.plan)

    def _insist(self, one: Held, clock: float) -> None:
        """Ask, then force, then end the process."""
        grace = settings.SYNAPSE_STOP_GRACE_SECONDS
        one.asked_at = one.asked_at or clock
        if not self.expendable or clock - one.asked_at < grace:
            return
        if one.forced_at is None:
            one.forced_at = clock
            logger.warning("Task %s does not stop; interrupting it.", one.task.id)
            signal.pthread_kill(_main_thread(), _SIGNAL)
        elif clock - one.forced_at >= grace:
            logger.error("Task %s cannot be stopped; ending its process.", one.task.id)
            os.kill(os.getpid(), signal.SIGKILL)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        for one in self._held:
            if one.reason is not None and one.phase is Phase.RUNNING:
                raise AttemptStopped(one.reason)


def _is_slow(one: Held, clock: float) -> bool:
    return one.phase is Phase.RUNNING and clock - one.began_at > _SLOW_SECONDS


def _renew_or_stop(one: Held) -> None:
    """Keep the lease, or find out that the task is not ours any more."""
    now = timezone.now()
    every = timedelta(seconds=settings.SYNAPSE_LEASE_RENEW_SECONDS)
    if now - one.renewed_at >= every:
        until = lifecycle.policy().leased_until(now)
        if ledger.renew(one.task.id, one.attempt, until):
            one.renewed_at = now
            return
    task = ledger.load(one.task.id)
    if task is None or not task.running or task.attempt != one.attempt:
        one.stop(why_lost(task))


def _main_thread() -> int:
    thread = threading.main_thread().ident
    assert thread is not None  # noqa: S101 - the main thread has started
    return thread


keeper = Keeper()
