"""Bodies that are on their way, and until when each of them may be."""

import threading

from synapse_site.edge.wire import Pending


class Wait:
    """One body. `pending` is its next piece; `until` is of the monotonic clock."""

    def __init__(self, pending: Pending, until: float) -> None:
        self.pending: Pending | None = pending
        self.until = until


class Waiting:
    """All of them, in one process."""

    def __init__(self) -> None:
        self._waits: set[Wait] = set()
        self._lock = threading.Lock()

    def add(self, wait: Wait) -> None:
        with self._lock:
            self._waits.add(wait)

    def remove(self, wait: Wait) -> None:
        """Also lets go of what it waited for.

        That holds its callback, the callback holds the request, and a ring that goes
        through objects of Rust is never collected: the connection would stay open.
        """
        with self._lock:
            self._waits.discard(wait)
        wait.pending = None

    def expire(self, now: float) -> None:
        """Give up those whose time is over; each refuses its request itself.

        One whose piece comes at this moment is not given up, but maybe the next time.
        """
        with self._lock:
            over = [wait for wait in self._waits if wait.until <= now]
        for wait in over:
            if pending := wait.pending:
                pending.cancel()
