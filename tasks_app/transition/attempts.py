"""What an executor does to a task: take it, report, end it, ask, try again."""

import uuid
from dataclasses import replace
from datetime import datetime, timedelta

from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import (
    ErrorObject,
    TaskAck,
    TaskComplete,
    TaskFailed,
    TaskNeedHuman,
    TaskNeedInfo,
    TaskStatusUpdate,
)
from agents_app.protocol.states import Move, TaskState
from agents_app.protocol.times import rfc3339
from tasks_app import outbox
from tasks_app.changes import Change, Internal, Opened, Snapshot
from tasks_app.policy import Policy
from tasks_app.transition import steps

# Ten years: what an executor asks for beyond them may be no date at all.
_LONGEST_WAIT_S = 10 * 365 * 24 * 3600

# The most that a task can be that is not completed, in percent.
_ALMOST_DONE = 99


def begin(task: Snapshot, *, worker: str, now: datetime, policy: Policy) -> Change:
    """A worker takes the task: a new attempt under a lease (A2A 6.2, 6.4)."""
    update = TaskStatusUpdate(
        task_id=task.wire_id, status=TaskState.EXECUTING, progress=task.progress
    )
    change = _executing(task, update, now)
    left = timedelta(seconds=task.max_duration_s, milliseconds=-task.spent_ms)
    change = steps.with_after(
        change,
        attempt=task.attempt + 1,
        worker=worker,
        leased_until=policy.leased_until(now),
        attempt_started_at=now,
        ready_at=None,
        queue_key=None,
        due_at=now + left,
    )
    return outbox.announce(change, now, policy)


def report(
    task: Snapshot,
    *,
    progress: int,
    message: str,
    eta: datetime | None,
    now: datetime,
    policy: Policy,
) -> Change:
    """Progress of the live attempt (A2A 6.4).

    The log has the number as it was reported. Shown is the highest so far (G13), but at
    most 99: 100 is for completed tasks (decisions 40). Without `eta` the earlier holds.
    """
    update = TaskStatusUpdate(
        task_id=task.wire_id,
        status=TaskState.EXECUTING,
        progress=progress,
        message=message or None,
        eta=rfc3339(eta) if eta else None,
    )
    change = _executing(task, update, now)
    change = steps.with_after(
        change,
        progress=max(task.progress, min(progress, _ALMOST_DONE)),
        status_message=message or task.status_message,
        eta=eta or task.eta,
        leased_until=policy.leased_until(now) if task.running else None,
    )
    return outbox.announce(change, now, policy)


def complete(
    task: Snapshot, outcome: TaskComplete, *, now: datetime, policy: Policy
) -> Change:
    """The result, and our acknowledgement if we asked for it (A2A 5.1, 6.5)."""
    change = steps.begin(task)
    executor = steps.from_executor(task)
    change = steps.say(change, outcome, executor, now, Move.COMPLETE)
    if not outbox.is_remote(task.requester, policy):  # A peer says so itself.
        change = _acknowledge(change, MessageType.TASK_COMPLETE, now)
    change = steps.withdraw(change, task.executor, now)
    change = steps.end_attempt(change, "completed", now)
    change = steps.end(change, now, outcome.summary or "Completed.")
    change = steps.with_after(change, progress=100)
    return outbox.announce(replace(change, result=outcome.result), now, policy)


def fail(
    task: Snapshot,
    error: ErrorObject,
    *,
    now: datetime,
    policy: Policy,
    outcome: str = "failed",
    trace: str = "",
) -> Change:
    """The end with an error (A2A 6.6)."""
    change = _failed(steps.begin(task), error, now, task.executor)
    change = steps.end_attempt(change, outcome, now, trace)
    return outbox.announce(steps.end(change, now, error.message), now, policy)


def stop(
    task: Snapshot, *, by: str, reason: str, now: datetime, policy: Policy
) -> Change:
    """Our operator ends a task that a peer asked of us: only that peer may cancel it.

    `reason` goes to the peer; `by` stays in our log, since operators are internal.
    """
    error = ErrorObject.of(SynapseError(Code.STOPPED_BY_EXECUTOR, reason or None))
    words = {"task_id": str(task.id), "reason": reason}
    route = (by, policy.node)
    change = steps.note(steps.begin(task), Internal.DESK_STOP, words, route, now, None)
    change = _failed(change, error, now, by)
    change = steps.end_attempt(change, "cancelled", now)
    return outbox.announce(steps.end(change, now, error.message), now, policy)


def result_refused(
    task: Snapshot, error: ErrorObject, *, now: datetime, policy: Policy
) -> Change:
    """The requester did not take our completion, so another word ends the task there.

    Here it stays what it is; the log has both. TASK_ENDED unless it is completed.
    """
    if task.state is not TaskState.COMPLETED:
        raise SynapseError(Code.TASK_ENDED, details={"state": str(task.state)})
    words = TaskFailed(task_id=task.wire_id, error=error)
    route = steps.from_executor(task)
    change = steps.say(steps.begin(task), words, route, now, None)
    return outbox.announce(change, now, policy)


def ask(
    task: Snapshot,
    question: TaskNeedInfo | TaskNeedHuman,
    *,
    position: int | None,
    now: datetime,
    policy: Policy,
    local_desk: bool = False,
) -> Change:
    """A question ends the attempt and waits without a worker (A2A 6.7, 6.9).

    Who asked for the task answers, so a peer's questions go to that peer; `local_desk`
    keeps decisions here all the same (decisions 13).
    """
    question_id = ids.new_id()
    if question.request_id is None:  # Ours; a peer names its own.
        question = question.model_copy(update={"request_id": str(question_id)})
    change = steps.begin(task)
    info = isinstance(question, TaskNeedInfo)
    move = Move.NEED_INFO if info else Move.NEED_HUMAN
    # What our desk decides is no question to a peer: it sees the task executing.
    remote = outbox.is_remote(task.requester, policy)
    kept = remote and local_desk and not info
    route = (task.executor, policy.node) if kept else steps.from_executor(task)
    change = steps.say(change, question, route, now, move)
    change = steps.withdraw(change, task.executor, now)
    change = steps.end_attempt(change, "parked", now)
    patience_s = min(question.answer_within_s or policy.answer_s, _LONGEST_WAIT_S)
    due_at = now + timedelta(seconds=patience_s)
    change = steps.with_after(change, failures=0, due_at=due_at)
    owner = "peer" if remote and not kept else "us"
    opened = _opened(question, question_id, position, owner, task, now, due_at)
    opened = replace(opened, message_id=change.messages[-1].message_id)
    change = steps.with_after(change, status_message=_asking(question))
    return outbox.announce(replace(change, opened=opened), now, policy)


def try_again(
    task: Snapshot,
    *,
    reason: str,
    delay_s: float,
    outcome: str,
    now: datetime,
    policy: Policy,
    trace: str = "",
) -> Change:
    """The attempt died; another one starts after the delay (guarantees §5).

    The silence of a lost one does not count as run time: with a short limit the next
    one would be over before it began (G05).
    """
    update = TaskStatusUpdate(
        task_id=task.wire_id, status=TaskState.EXECUTING, message=reason
    )
    change = _executing(task, update, now)
    heard_at = None
    if outcome == "lost" and task.leased_until is not None:
        heard_at = policy.heard_at(task.leased_until)
    change = steps.end_attempt(change, outcome, now, trace, heard_at=heard_at)
    change = steps.enqueue(change, now + timedelta(seconds=delay_s), policy)
    change = steps.with_after(change, failures=task.failures + 1, status_message=reason)
    return outbox.announce(change, now, policy)


def hand_back(task: Snapshot, *, now: datetime, policy: Policy) -> Change:
    """Claimed but not begun: back into line, without counting as a failure."""
    update = TaskStatusUpdate(
        task_id=task.wire_id, status=TaskState.EXECUTING, message="Back in the queue."
    )
    change = _executing(task, update, now)
    change = steps.end_attempt(
        change, "returned", now, heard_at=task.attempt_started_at
    )
    return outbox.announce(steps.enqueue(change, now, policy), now, policy)


def _failed(change: Change, error: ErrorObject, now: datetime, by: str) -> Change:
    """The executor gives up; `by` closes what was asked (A2A 6.6)."""
    task = change.before
    words = TaskFailed(task_id=task.wire_id, error=error)
    change = steps.say(change, words, steps.from_executor(task), now, Move.FAIL)
    change = steps.withdraw(change, by, now)
    return replace(change, error=error.to_json())


def _executing(task: Snapshot, update: TaskStatusUpdate, now: datetime) -> Change:
    """The executor says how it goes (A2A 6.4)."""
    executor = steps.from_executor(task)
    return steps.say(steps.begin(task), update, executor, now, Move.EXECUTING)


def _acknowledge(change: Change, acked: MessageType, now: datetime) -> Change:
    words = TaskAck(task_id=change.before.wire_id, acked_type=acked)
    requester = steps.from_requester(change.before)
    ending = change.messages[-1].message_id
    return steps.say(change, words, requester, now, None, ending)


def _opened(
    question: TaskNeedInfo | TaskNeedHuman,
    question_id: uuid.UUID,
    position: int | None,
    owner: str,
    task: Snapshot,
    now: datetime,
    due_at: datetime,
) -> Opened:
    opened = Opened(
        id=question_id,
        owner=owner,
        request_id=question.request_id or str(question_id),
        wire_version=question.version,
        kind="info" if isinstance(question, TaskNeedInfo) else "human",
        position=position,
        asked_by=task.executor,
        created_at=now,
        due_at=due_at,
    )
    if isinstance(question, TaskNeedInfo):
        return replace(
            opened,
            reason={"summary": question.reason},
            missing_fields=tuple(f.to_json() for f in question.missing_fields),
        )
    return replace(
        opened,
        level=question.escalation_level,
        reason=question.reason,
        answer_by=due_at if question.answer_within_s else None,
        options=tuple(option.to_json() for option in question.options),
        suggested_value=question.suggested_value,
        decision_schema=question.decision_schema,
    )


def _asking(question: TaskNeedInfo | TaskNeedHuman) -> str:
    if isinstance(question, TaskNeedInfo):
        return question.reason
    summary = question.reason.get("summary")
    return str(summary) if summary else "Waits for a decision."
