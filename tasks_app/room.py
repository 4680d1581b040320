"""How many more attempts may start now: the node's limit and each type's own."""

from collections.abc import Mapping
from dataclasses import dataclass

from agents_app.registry import HandlerSpec
from tasks_app import ledger

# What all worker slots of a large node could claim at one moment: 64 slots with a whole
# batch each. So many places cannot run out at once.
_ONE_MOMENT = 64 * 50


@dataclass(slots=True)
class Room:
    """Counts down as candidates are taken."""

    total: int
    by_type: dict[str, int]

    def of(self, task_type: str) -> int:
        """Places left for a type."""
        return min(self.total, self.by_type.get(task_type, self.total))

    def take(self, task_type: str) -> bool:
        """Use a place; False when there is none."""
        if self.of(task_type) <= 0:
            return False
        self.total -= 1
        if task_type in self.by_type:
            self.by_type[task_type] -= 1
        return True


def measure(specs: Mapping[str, HandlerSpec], max_running: int) -> Room:
    """Count what runs. To be called in the transaction that claims.

    Two claimants that count at the same moment would both see the last free place, so
    they take turns, which also keeps the order of the queue strict. Only a node without
    real limits need not.
    """
    limits = {
        name: spec.max_concurrent
        for name, spec in specs.items()
        if spec.max_concurrent is not None
    }
    if limits or max_running < _ONE_MOMENT:
        ledger.hold_claims()
    running = ledger.running_by_type()
    return Room(
        total=max_running - sum(running.values()),
        by_type={name: limit - running.get(name, 0) for name, limit in limits.items()},
    )
