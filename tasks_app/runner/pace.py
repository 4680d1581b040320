"""How many tasks a slot claims together: as many quick ones as fit a time budget.

Batching is what makes a backlog of quick tasks cheap; a slow or unknown task is always
alone, and so is one that was tried before: it may be the one that kills its worker.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from tasks_app.changes import Snapshot

MAX_BATCH = 50
# How much of a new measurement the average takes in.
_WEIGHT = 0.2


@dataclass(slots=True)
class Pace:
    """What this process has learned about the run time of each task type."""

    budget_ms: float
    _average_ms: dict[str, float] = field(default_factory=dict)

    def learn(self, task_type: str, took_ms: float) -> None:
        """Take in one measured run."""
        known = self._average_ms.get(task_type, took_ms)
        self._average_ms[task_type] = known + _WEIGHT * (took_ms - known)

    def look_ahead(self) -> int:
        """How many candidates are worth reading: one more than could fit."""
        fastest_ms = min(self._average_ms.values(), default=self.budget_ms)
        if fastest_ms * MAX_BATCH <= self.budget_ms:
            return MAX_BATCH + 1
        return max(1, int(self.budget_ms / fastest_ms)) + 1

    def batch(self) -> Callable[[Snapshot], bool]:
        """A function that says, candidate by candidate, whether it joins the batch."""
        left_ms = self.budget_ms
        size = 0

        def fits(task: Snapshot) -> bool:
            nonlocal left_ms, size
            expected_ms = self._average_ms.get(task.task_type)
            if expected_ms is None or task.attempt > 0:
                expected_ms = self.budget_ms
            first = size == 0
            size += 1
            left_ms -= expected_ms
            return first or (left_ms >= 0 and size <= MAX_BATCH)

        return fits
