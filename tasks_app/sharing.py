"""How the threads of a courier are shared among those whose requests they send.

    delivery, fetching → take_for(party, claim) → a request, however slow → leave(party)

A party is a caller or a remote agent, by its address. One whose receivers hang holds
threads for the whole budget of each try, so none may take more than it leaves, and
all have their turns, however long the backlog of one is (G24).

The last thread is kept for the sweep. Errands (heartbeats, rounds to mailboxes) are for
remote agents that all may hang: each kind has a quarter at most (`errands`).
"""

import threading
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

# What the Procfile gives a courier; `resize` says what it really has.
_NUMBER = 16
# With fewer there is none to spare for the sweep.
_MANY = 4

Claimed = TypeVar("Claimed")


class Threads:
    """Who is served by how many threads of this process just now."""

    def __init__(self, number: int = _NUMBER) -> None:
        self._number = number
        self._taken: Counter[str] = Counter()
        self._latest = ""
        self._lock = threading.Lock()
        self._waiting: list[Callable[[], None]] = []

    def resize(self, number: int) -> None:
        """The process has that many threads."""
        with self._lock:
            self._number = number

    def take(self, party: str) -> bool:
        """Serve the party by one thread more; False while it has its share."""
        with self._lock:
            if self._has_share(party):
                return False
            self._taken[party] += 1
            self._latest = party
            return True

    def take_errand(self, kind: str) -> bool:
        """Run errands of a kind by one thread more; False while it has a quarter.

        No party's turn: `latest` stays.
        """
        with self._lock:
            most = max(1, self._number // 4)
            if self._taken[kind] >= most or self._has_share(kind):
                return False
            self._taken[kind] += 1
            return True

    def take_for(
        self, party: str, claim: Callable[[], Claimed | None]
    ) -> Claimed | None:
        """What `claim` finds for the party; with nothing found, no thread is taken.

        Nor when it raises: a database that is away must not use up the party's share.
        """
        if not self.take(party):
            return None
        claimed = None
        try:
            claimed = claim()
        finally:
            if claimed is None:
                self.leave(party)
        return claimed

    def leave(self, party: str) -> None:
        """One thread that served the party is free again."""
        with self._lock:
            was_full = self._is_full()
            self._taken[party] -= 1
            if not self._taken[party]:
                del self._taken[party]
        if was_full:
            for ring in self._waiting:
                ring()

    def when_room(self, ring: Callable[[], None]) -> None:
        """Call it whenever there is a thread again after there was none."""
        self._waiting.append(ring)

    @property
    def full(self) -> bool:
        """Whether nobody gets a thread: `when_room` tells when to look again."""
        with self._lock:
            return self._is_full()

    @property
    def latest(self) -> str:
        """Which was served last: the next in order has its turn now."""
        return self._latest

    def sated(self) -> list[str]:
        """Parties that get no more threads for now."""
        with self._lock:
            return [party for party in self._taken if self._has_share(party)]

    def _has_share(self, party: str) -> bool:
        """Whether with one more it had more than would be left for all others.

        The first one has half of the threads, the second half of the rest, and so on.
        One that has none always gets the thread that asks, but for the last one.
        """
        own = self._taken[party]
        left = self._number - self._taken.total()
        return self._is_full() or (own > 0 and own + 1 > left - 1)

    def _is_full(self) -> bool:
        kept = 1 if self._number >= _MANY else 0
        return self._taken.total() >= self._number - kept > 0


courier = Threads()
"""Those of this process."""
