"""How much a request may bring and how long that may take."""

from collections.abc import Callable
from dataclasses import dataclass

Refusal = tuple[int, list[tuple[str, str]], bytes]


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """For one address: the bytes of a body, and who refuses a body that is longer.

    `says_itself`: the application does, in its own words, where the head tells enough.
    """

    bytes: int
    says_itself: bool = False


def plain(status: int, _: str) -> Refusal:
    """A refusal in a few words."""
    text = {400: b"Cut short.\n", 408: b"Too slow.\n", 413: b"Too large.\n"}[status]
    return status, [("Content-Type", "text/plain"), ("Connection", "close")], text


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What holds for a site; the functions get the path of a request.

    A body has `seconds`, and one more for every `rate` bytes that have come. So has a
    client that takes an answer.
    """

    allowed: Callable[[str], Allowance]
    seconds: float = 30.0
    rate: float = 4096.0
    folder: str | None = None
    refusal: Callable[[int, str], Refusal] = plain

    def patience(self, size: int) -> float:
        """Seconds in which this many bytes must have gone over the wire."""
        return self.seconds + size / self.rate
