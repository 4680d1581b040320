"""A task that this process holds: shared by the slot that runs it and the keeper."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from agents_app.host import AttemptStopped, StopReason
from tasks_app.changes import Change, Snapshot

Plan = Callable[[Snapshot], Change]


class Phase(Enum):
    """How far the slot has come with a held task."""

    WAITING = "waiting"  # Claimed together with others; not begun.
    RUNNING = "running"
    DONE = "done"  # Its outcome is about to be written.


@dataclass(slots=True, eq=False)
class Held:
    """One claimed task. `task` is the row as this attempt last wrote or read it."""

    task: Snapshot
    attempt: int
    renewed_at: datetime
    deadline: datetime | None
    phase: Phase = Phase.WAITING
    # What is to be written once it is done; None when there is nothing to say.
    plan: Plan | None = None
    # When its handler began, on the monotonic clock.
    began_at: float = 0.0
    reason: StopReason | None = None
    # When the keeper first asked it to stop, and when it used force.
    asked_at: float | None = None
    forced_at: float | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def stop(self, reason: StopReason) -> None:
        """Ask the attempt to end; the first reason stays."""
        self.reason = self.reason or reason

    def check(self) -> None:
        """Raise AttemptStopped when somebody asked."""
        if self.reason is not None:
            raise AttemptStopped(self.reason)
