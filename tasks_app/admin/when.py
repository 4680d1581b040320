"""Times in the words of a person in a hurry."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_SOON = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Due:
    """A deadline, told from now; `mood` is late, soon or calm."""

    text: str
    mood: str


def span(length: timedelta) -> str:
    """`1 d 4 h`, `3 h 20 min`, `5 min`, `40 s`; nothing or less is `0 s`."""
    seconds = max(0, int(length.total_seconds()))
    for (size, unit), (small, small_unit) in pairwise(_UNITS):
        if seconds >= size:
            rest = 0 if small_unit == "s" else seconds % size // small
            text = f"{seconds // size} {unit}"
            return f"{text} {rest} {small_unit}" if rest else text
    return f"{seconds} s"


def milliseconds(length: timedelta) -> str:
    """As `span`, but down to milliseconds below a minute: `1.204 s`."""
    if length >= timedelta(minutes=1):
        return span(length)
    return f"{max(0.0, length.total_seconds()):.3f} s"


def due(at: datetime, now: datetime) -> Due:
    """How long there is left, or how late it is."""
    if at <= now:
        return Due(f"{span(now - at)} late", "late")
    left = at - now
    return Due(f"in {span(left)}", "soon" if left < _SOON else "calm")


def to_the_millisecond(moment: datetime) -> str:
    """`2024-05-31 14:03:07.120 UTC`."""
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03} UTC"


def stamp(moment: datetime) -> str:
    """`2024-05-31 14:03 UTC`."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
