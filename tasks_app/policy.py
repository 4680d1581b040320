"""The numbers that planning needs, read from the settings by `lifecycle`."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agents_app.protocol.payloads import Priority

# How much later than it was ready a task is put in line. It ages by itself: a low task
# that is ready ten minutes before an urgent one is equal to it (G14).
PENALTY_MS = {
    Priority.URGENT: 0,
    Priority.HIGH: 30_000,
    Priority.NORMAL: 120_000,
    Priority.LOW: 600_000,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All in seconds, but `node`: the A2A address of this node."""

    node: str
    lease_s: int
    max_queue_s: int
    answer_s: int

    def leased_until(self, now: datetime) -> datetime:
        """When the lease of a worker that is alive now runs out."""
        return now + timedelta(seconds=self.lease_s)

    def heard_at(self, leased_until: datetime) -> datetime:
        """When a worker whose lease runs out then was last heard of."""
        return leased_until - timedelta(seconds=self.lease_s)


def queue_key(ready_at: datetime, priority: str) -> int:
    """The place in line: smaller is earlier; milliseconds since the epoch."""
    return int(ready_at.timestamp() * 1000) + PENALTY_MS[Priority(priority)]
