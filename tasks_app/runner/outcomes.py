"""From what a handler's attempt came to, to the change of its task."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings

from agents_app.dispatch import Outcome
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import (
    Attachment,
    ErrorObject,
    TaskComplete,
    TaskFailed,
)
from agents_app.protocol.retry import RetryPolicy
from tasks_app.changes import Change, Snapshot
from tasks_app.policy import Policy
from tasks_app.transition import attempts


def change_of(
    task: Snapshot,
    outcome: Outcome,
    *,
    files: Sequence[Attachment],
    now: datetime,
    policy: Policy,
    local_desk: bool = False,
) -> Change:
    """The plan for an attempt that came to an end by itself.

    `local_desk`: our people decide, whoever asked for the task.
    """
    # A handler knows the task by our id; a peer that asked for it has its own.
    said = outcome.payload.model_copy(update={"task_id": task.wire_id})
    if isinstance(said, TaskComplete):
        said = said.model_copy(update={"attachments": tuple(files)})
        return attempts.complete(task, said, now=now, policy=policy)
    if not isinstance(said, TaskFailed):
        return attempts.ask(
            task,
            said,
            position=outcome.position,
            now=now,
            policy=policy,
            local_desk=local_desk,
        )
    delay_s = _backoff_s(task) if outcome.retryable else None
    if delay_s is not None:
        return attempts.try_again(
            task,
            reason=f"Attempt {task.failures + 1} failed; trying again.",
            delay_s=delay_s,
            outcome="retry",
            now=now,
            policy=policy,
            trace=outcome.trace,
        )
    return attempts.fail(task, said.error, now=now, policy=policy, trace=outcome.trace)


def lost(task: Snapshot, *, now: datetime, policy: Policy) -> Change:
    """The worker died or fell silent: try again at once, or give up (G05, G06).

    No backoff: the time until the lease ran out was one.
    """
    if _backoff_s(task) is not None:
        return attempts.try_again(
            task,
            reason=f"Attempt {task.failures + 1} was lost; trying again.",
            delay_s=0,
            outcome="lost",
            now=now,
            policy=policy,
        )
    error = SynapseError(
        Code.ATTEMPTS_EXHAUSTED, details={"attempts": task.failures + 1}
    )
    return attempts.fail(
        task, ErrorObject.of(error), now=now, policy=policy, outcome="lost"
    )


def overtime(task: Snapshot, *, now: datetime, policy: Policy) -> Change:
    """It ran longer than it may; waits for people did not count."""
    error = SynapseError(
        Code.MAX_DURATION, details={"max_duration_s": task.max_duration_s}
    )
    return attempts.fail(
        task, ErrorObject.of(error), now=now, policy=policy, outcome="timeout"
    )


def _backoff_s(task: Snapshot) -> float | None:
    """How long to wait after one more failure; None when that was the last attempt."""
    policy = RetryPolicy.after_failures(settings.SYNAPSE_RETRY_BACKOFF)
    return policy.next_delay(task.failures + 1, random=0)
