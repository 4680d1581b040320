"""How the threads of a courier are shared among those whose requests they send.

    delivery, fetching → take_for(party, claim) → a request, however slow → leave(party)

A party is a caller or a remote agent, by its address. One whose receivers hang holds
threads for the whole budget of each try, so none may take more than it leaves, and
all have their turns, however long the backlog of one is (G24).
"""

import threading
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

# What the Procfile gives a courier; `resize` says what it really has.
_NUMBER = 16

Claimed = TypeVar("Claimed")


class Threads:
    """Who is served by how many threads of this process just now."""

    def __init__(self, number: int = _NUMBER) -> None:
        self._number = number
        self._taken: Counter[str] = Counter()
        self._latest = ""
        self._lock = threading.Lock()

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
            self._taken[party] -= 1
            if not self._taken[party]:
                del self._taken[party]

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
        One that has none always gets the thread that asks.
        """
        own = self._taken[party]
        left = self._number - self._taken.total()
        return own > 0 and own + 1 > left - 1


courier = Threads()
"""Those of this process."""
