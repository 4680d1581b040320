"""What a courier does for one remote agent at a time: a heartbeat, a mailbox round.

    bell for an agent → Errands.run(agent) → one of a few threads → the errand

Any of them may hang, and all of them at once. So each kind has few threads, which
take the next agent when they are done; the others wait here and not in a thread. Who
did not do its part rests, longer each time: those that answer need not wait for it.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from tasks_app.sharing import Threads

# A rest after the first failure; doubled with each further one in a row.
_FIRST_REST = 4.0
_LONGEST_REST = 120.0
# After this long a thread goes back to the broker: a courier asked to stop can.
_WORK_SECONDS = 5.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Rest:
    seconds: float
    until: float


class Errands:
    """All of one kind. `do` says whether the agent did its part."""

    def __init__(
        self,
        kind: str,
        do: Callable[[str], bool],
        *,
        ring: Callable[[str], None],
        threads: Threads,
    ) -> None:
        self._kind, self._do, self._ring, self._threads = kind, do, ring, threads
        # In the order in which they came.
        self._waiting: dict[str, None] = {}
        self._running: set[str] = set()
        self._rests: dict[str, _Rest] = {}
        self._lock = threading.Lock()
        threads.when_room(self.ring_again)

    def run(self, agent: str) -> bool:
        """Do it, and what else waits; False if the agent has to rest.

        Never raises: what fails for one agent must not leave others waiting.
        """
        if not self._enter(agent):
            return False
        until = time.monotonic() + _WORK_SECONDS
        # Looked at again after a thread was left: who came meanwhile counts on it.
        while self._has_next() and self._threads.take_errand(self._kind):
            try:
                self._do_next()
            finally:
                self._threads.leave(self._kind)
            if time.monotonic() > until:
                self.ring_again()
                break
        return True

    def ring_again(self) -> None:
        """Have a thread come for the first one that waits."""
        with self._lock:
            first = next(iter(self._waiting), None)
        if first is not None:
            self._ring(first)

    def _enter(self, agent: str) -> bool:
        with self._lock:
            rest = self._rests.get(agent)
            if rest is not None and time.monotonic() < rest.until:
                return False
            self._waiting[agent] = None
            return True

    def _has_next(self) -> bool:
        with self._lock:
            return self._next() is not None

    def _next(self) -> str | None:
        return next((one for one in self._waiting if one not in self._running), None)

    def _do_next(self) -> None:
        with self._lock:
            agent = self._next()
            if agent is None:
                return
            del self._waiting[agent]
            self._running.add(agent)
        # What fails here is our trouble, and no reason to let the agent wait.
        well = True
        try:
            well = self._do(agent)
        except Exception:
            logger.exception("%s: that of %s came to nothing.", self._kind, agent)
        finally:
            self._ended(agent, well=well)

    def _ended(self, agent: str, *, well: bool) -> None:
        with self._lock:
            self._running.discard(agent)
            before = self._rests.pop(agent, None)
            if not well:
                seconds = before.seconds * 2 if before else _FIRST_REST
                seconds = min(seconds, _LONGEST_REST)
                self._rests[agent] = _Rest(seconds, time.monotonic() + seconds)
