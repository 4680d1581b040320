"""What becomes of a task that its own change cannot be written for."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from agents_app.protocol.payloads import ErrorObject
from tasks_app.changes import Change, Snapshot
from tasks_app.policy import Policy, queue_key
from tasks_app.transition import attempts, steps

# How long one that cannot even be failed is out of the way.
ASIDE = timedelta(minutes=5)


def ways_out(
    task: Snapshot, error: ErrorObject, *, now: datetime, policy: Policy
) -> Iterator[Change]:
    """The best first; each for when the one before cannot be written either.

    It fails; it fails without telling anybody, for the callback may be what no row can
    hold; it is laid aside, so that what is behind it in any queue comes next.
    """
    failed = attempts.fail(task, error, now=now, policy=policy)
    yield failed
    if failed.outgoing:
        yield replace(failed, outgoing=())
    yield _aside(task, now)


def _aside(task: Snapshot, now: datetime) -> Change:
    """The same task, but nothing of it is due before some minutes are over.

    Without a message, which may be what cannot be written.
    """
    later = now + ASIDE
    due: dict[str, object] = {
        name: later
        for name in ("ready_at", "leased_until", "due_at")
        if (at := getattr(task, name)) is not None and at <= now
    }
    if "ready_at" in due:
        due["queue_key"] = queue_key(later, task.priority)
    return steps.with_after(steps.begin(task), updated_at=now, **due)
