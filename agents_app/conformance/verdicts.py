"""What a check found: expected, seen, and whether that is the same."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One line of the table."""

    group: str
    check: str
    expected: str
    seen: str

    @property
    def passed(self) -> bool:
        return self.expected == self.seen


@dataclass(frozen=True, slots=True)
class Found:
    """A check before it belongs to a group."""

    check: str
    expected: str
    seen: str


Findings = Iterator[Found]
