"""How many requests are on their way to one address, counted in this process.

Between `gate` and `connection`: only there it is known which names are one receiver.
"""

import threading
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager

Place = tuple[str, str, int]
"""On whose behalf, address, port."""


class Crowded(Exception):
    """There are as many as allowed; nothing was sent."""


class Places:
    """Counts until the requests have ended."""

    def __init__(self) -> None:
        self._taken: Counter[Place] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def taken(self, places: Collection[Place], *, at_once: int) -> Iterator[None]:
        """One in each of the places, or Crowded when one of them has `at_once`."""
        with self._lock:
            if any(self._taken[place] >= at_once for place in places):
                raise Crowded
            self._taken.update(places)
        try:
            yield
        finally:
            with self._lock:
                self._taken.subtract(places)
                self._taken = +self._taken
