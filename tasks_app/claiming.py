"""A worker takes tasks: the head of a lane becomes attempts of its own.

    runner.slot → claim → room (limits) → transition.attempts.begin → lifecycle.commit

One transaction for all of them. A task that the database refuses would take the others
along, and block the lane for everybody: it is found and ended (G06).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from agents_app import registry
from agents_app.protocol.errors import Code
from agents_app.registry import HandlerSpec
from tasks_app import ledger, lifecycle, queue, room
from tasks_app.changes import Change, Snapshot
from tasks_app.ledger import Candidate
from tasks_app.transition import attempts

# So many that cannot be written are ended before it is somebody else's turn.
_TRIES = 10

Fits = Callable[[Snapshot], bool]
Taken = tuple[Candidate, Snapshot]


@dataclass(slots=True)
class _Claim:
    """One claim on its way: who claims, and what it has got so far."""

    lane: str
    worker: str
    limit: int
    fits: Fits
    wake: bool
    pairs: list[tuple[Candidate, Change]] = field(default_factory=list)

    @property
    def begun(self) -> list[Change]:
        return [planned for _, planned in self.pairs]


def claim(
    lane: str, *, worker: str, limit: int, fits: Fits, wake: bool = True
) -> list[Taken]:
    """Take up to `limit` ready tasks of a lane for this worker, most urgent first.

    Only types this process knows, only while the type and the node are under their
    concurrency limits, and only while `fits` says that the next one belongs to the
    batch; ask for one more than can fit. Each comes with the row that its attempt
    starts from. `wake`: ring for another slot if there is more.
    """
    specs = {s.task_type: s for s in registry.enabled_specs() if s.lane == lane}
    if not specs:
        return []
    wanted = _Claim(lane, worker, limit, fits, wake)
    for _ in range(_TRIES):
        try:
            return _take(wanted, specs)
        except ledger.AWAY as error:
            return _arrived(wanted, error)
        except ledger.UNWRITABLE:
            if not _end_unwritable(wanted.begun):
                raise
        # Alone: the next one may be like it.
        wanted = _Claim(lane, worker, 1, lambda _: True, wake)
    queue.ring(lane)
    return []


def _take(claim: _Claim, specs: Mapping[str, HandlerSpec]) -> list[Taken]:
    now = timezone.now()
    policy = lifecycle.policy()
    with transaction.atomic():
        left = room.measure(specs, settings.SYNAPSE_MAX_CONCURRENT_TASKS)
        types = [name for name in specs if left.of(name) > 0]
        found = (
            ledger.candidates(claim.lane, types, now=now, limit=claim.limit)
            if types
            else []
        )
        allowed = (c for c in found if left.take(c.task.task_type))
        taken = list(takewhile(lambda candidate: claim.fits(candidate.task), allowed))
        if claim.wake and len(found) > len(taken):
            queue.ring(claim.lane)
        claim.pairs = [
            (c, attempts.begin(c.task, worker=claim.worker, now=now, policy=policy))
            for c in taken
        ]
        written = lifecycle.commit(claim.begun) if taken else set()
    return [
        (candidate, planned.after)
        for candidate, planned in claim.pairs
        if planned.before.id in written
    ]


def _arrived(claim: _Claim, error: Exception) -> list[Taken]:
    """What is ours although the connection was cut; the error if that is nothing.

    When it was cut at the commit, tasks may be ours that nobody would run before their
    leases are over.
    """
    if connection.in_atomic_block or not claim.pairs:
        raise error
    connection.close()
    written = ledger.endure(lambda: ledger.arrived(claim.begun))
    if not written:
        raise error
    return [(c, planned.after) for c, planned in claim.pairs if c.task.id in written]


def _end_unwritable(begun: list[Change]) -> bool:
    """End those of a refused batch that are refused alone; whether there are any."""
    bad = [planned.before for planned in begun if _is_refused(planned)]
    for task in bad:
        lifecycle.end_unwritable(task, Code.UNSTORABLE_VALUE)
    return bool(bad)


def _is_refused(planned: Change) -> bool:
    """Whether the database blames its row; nothing is kept of what it takes."""
    try:
        with transaction.atomic():
            ledger.commit([planned])
            transaction.set_rollback(True)
    except ledger.UNWRITABLE as error:
        return ledger.blames_row(error)
    return False
