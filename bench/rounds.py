"""Interleaved rounds: the machine drifts, so only ratios within a round count."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the report. `ratio` is a median; `spread` its lowest and highest."""

    what: str
    ours: str
    baseline: str = ""
    ratio: float | None = None
    spread: tuple[float, float] | None = None
    goal: str = ""
    must: float | None = None
    at_most: bool = False

    @property
    def verdict(self) -> str:
        if self.must is None or self.ratio is None:
            return ""
        met = self.ratio <= self.must if self.at_most else self.ratio >= self.must
        return "reached" if met else "MISSED"


def interleave(
    rounds: int, measures: Mapping[str, Callable[[], T]]
) -> dict[str, list[T]]:
    """Take each measure once a round, forth and back; the first round warms up."""
    taken: dict[str, list[T]] = {name: [] for name in measures}
    for number in range(rounds + 1):
        order = list(measures) if number % 2 else list(reversed(measures))
        for name in order:
            value = measures[name]()
            if number:
                taken[name].append(value)
    return taken


def compare(
    what: str,
    ours: Sequence[float],
    baseline: Sequence[float],
    unit: str,
    *,
    goal: str = "",
    must: float | None = None,
    at_most: bool = False,
) -> Line:
    """The median of the rounds' ratios, with both medians for orientation."""
    ratios = [mine / other for mine, other in zip(ours, baseline, strict=True)]
    return Line(
        what=what,
        ours=f"{statistics.median(ours):,.0f} {unit}",
        baseline=f"{statistics.median(baseline):,.0f} {unit}",
        ratio=statistics.median(ratios),
        spread=(min(ratios), max(ratios)),
        goal=goal,
        must=must,
        at_most=at_most,
    )
