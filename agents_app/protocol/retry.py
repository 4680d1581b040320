"""When to try again. Pure: the caller brings the dice and keeps the row."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """`delays_s[n]` is the wait, in seconds, that follows the n-th failure.

    So `delays_s[0]` comes before the very first attempt and is usually 0.

    `jitter` spreads each wait evenly by that share in both directions: 0.2 is ±20 %.
    """

    delays_s: tuple[int, ...]
    jitter: float = 0.0

    @classmethod
    def after_failures(cls, delays_s: Iterable[int], jitter: float = 0.0) -> Self:
        """The first attempt at once, then one more after each of these waits."""
        return cls(delays_s=(0, *delays_s), jitter=jitter)

    @property
    def attempts(self) -> int:
        """How many attempts there are in all."""
        return len(self.delays_s)

    def next_delay(self, failures: int, *, random: float) -> float | None:
        """Seconds to wait after that many failures, None to give up.

        `random` lies in [0, 1).
        """
        if failures >= self.attempts:
            return None
        return self.delays_s[failures] * (1 + self.jitter * (2 * random - 1))


ATTEMPTS = RetryPolicy.after_failures((5, 30))
"""A task: three attempts."""

CALLBACKS = RetryPolicy(
    delays_s=(0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400), jitter=0.2
)
"""A callback or an outgoing message: ten attempts over three days and some hours."""
