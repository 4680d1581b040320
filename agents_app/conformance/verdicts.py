"""What a check found: expected, seen, and whether that is the same."""

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
