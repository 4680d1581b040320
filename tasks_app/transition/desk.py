"""What people do to a task: submit it, cancel it, answer, claim, release, decide."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import (
    HumanDecision,
    TaskAck,
    TaskCancel,
    TaskInfoProvided,
)
from agents_app.protocol.states import Move
from tasks_app import outbox
from tasks_app.changes import Cast, Change, Closed, Held, Internal, Json, Snapshot
from tasks_app.policy import Policy
from tasks_app.transition import steps, votes


def cancel(
    task: Snapshot, *, by: str, reason: str, now: datetime, policy: Policy
) -> Change:
    """The requester takes the task back; the executor acknowledges (A2A 5.4)."""
    words = TaskCancel(task_id=task.wire_id, reason=reason or None)
    change = steps.say(steps.begin(task), words, (by, task.executor), now, Move.CANCEL)
    if task.executor == policy.node:  # A peer says so itself.
        acked = TaskAck(task_id=task.wire_id, acked_type=MessageType.TASK_CANCEL)
        cancelled = change.messages[-1].message_id
        executor = steps.from_executor(task)
        change = steps.say(change, acked, executor, now, None, cancelled)
    change = steps.withdraw(change, by, now)
    change = steps.end_attempt(change, "cancelled", now)
    change = steps.end(change, now, reason or "Cancelled.")
    return outbox.announce(change, now, policy)


def provide(
    task: Snapshot,
    words: TaskInfoProvided,
    *,
    complete: bool,
    together: Json,
    by: str,
    now: datetime,
    policy: Policy,
    question_id: str | None = None,
) -> Change:
    """Facts for an info request; `together` is all that was provided so far (A2A 6.8).

    Complete ones end the question and put the task back in line. `question_id` is the
    message that asked.
    """
    move = Move.INFO_COMPLETE if complete else Move.INFO_PARTIAL
    route = (by, task.executor)
    change = steps.say(steps.begin(task), words, route, now, move, question_id)
    if not complete:
        return outbox.announce(replace(change, provided=together), now, policy)
    closed = Closed(state="answered", by=by, at=now, answer=together)
    change = replace(change, closed=closed, provided=together, answered=together)
    change = steps.with_after(change, status_message="The information is there.")
    return outbox.announce(steps.enqueue(change, now, policy), now, policy)


def claim(
    task: Snapshot,
    *,
    user_id: int,
    by: str,
    now: datetime,
    policy: Policy,
    held_by: str | None = None,
) -> Change:
    """An operator takes the decision in hand; others see who (decisions 14).

    `held_by`: from whom, where a deputy takes it over from somebody absent.
    """
    words = {"task_id": str(task.id)} | ({"held_by": held_by} if held_by else {})
    move = None if held_by else Move.CLAIM
    route = (by, policy.node)
    change = steps.note(steps.begin(task), Internal.DESK_CLAIM, words, route, now, move)
    return replace(change, held=Held(user_id=user_id, at=now))


def release(
    task: Snapshot, *, by: str, held_by: str, now: datetime, policy: Policy
) -> Change:
    """The operator gives it back, or another takes it from `held_by`."""
    words = {"task_id": str(task.id), "held_by": held_by}
    route = (by, policy.node)
    change = steps.note(
        steps.begin(task), Internal.DESK_RELEASE, words, route, now, Move.RELEASE
    )
    return replace(change, held=Held(user_id=None, at=None))


def decide(
    task: Snapshot,
    words: HumanDecision,
    *,
    by: str,
    now: datetime,
    policy: Policy,
    state: str = "answered",
    question_id: str | None = None,
    cast: Cast | None = None,
    ballots: Sequence[Json] = (),
) -> Change:
    """The decision ends the question; the handler goes on with it (A2A 6.10).

    `state` is "expired" when a deadline decided; `question_id` is the message that
    asked. `cast` is the vote that settled it, and `ballots` are all that led to it.
    """
    move = Move.APPROVE if words.decision.approved else Move.DECLINE
    route = (by, task.executor)
    change = steps.begin(task)
    if cast is not None:
        change = votes.cast(change, cast, by=by, policy=policy)
    change = steps.say(change, words, route, now, move, question_id)
    answer: dict[str, object] = {
        "decision": words.decision.to_json(),
        "decided_by": words.decided_by.to_json(),
    }
    if ballots:
        answer["votes"] = list(ballots)
    closed = Closed(state=state, by=by, at=now, answer=answer)
    change = replace(change, closed=closed, answered=answer)
    verb = "Approved" if words.decision.approved else "Rejected"
    change = steps.with_after(
        change, status_message=f"{verb} by {words.decided_by.user_id}."
    )
    return outbox.announce(steps.enqueue(change, now, policy), now, policy)
