"""The moves that plans are made of. Each returns the change with one thing added."""

from dataclasses import replace
from datetime import datetime, timedelta

from agents_app.protocol import ids
from agents_app.protocol.messages import type_of
from agents_app.protocol.payloads import Payload, TaskConfirm
from agents_app.protocol.states import (
    IMPLIES_CONFIRM,
    WAITING,
    Move,
    TaskState,
    next_state,
)
from tasks_app.changes import (
    Change,
    Closed,
    EndedAttempt,
    Json,
    Logged,
    Snapshot,
)
from tasks_app.policy import Policy, queue_key

# Where the words of a message come from and go to.
Route = tuple[str, str]


def begin(task: Snapshot) -> Change:
    """A change that changes nothing yet."""
    return Change(before=task, after=task)


def from_executor(task: Snapshot) -> Route:
    """Executor → requester."""
    return task.executor, task.requester


def from_requester(task: Snapshot) -> Route:
    """Requester → executor."""
    return task.requester, task.executor


def say(
    change: Change,
    words: Payload,
    route: Route,
    now: datetime,
    move: Move | None,
    reply_to: str | None = None,
) -> Change:
    """Log a message and move the state by the table.

    Raises TASK_ENDED or ILLEGAL_TRANSITION when the table has no such arrow. A message
    that implies acceptance from `pending` logs the confirm it implies (decisions 6).
    """
    if change.after.state is TaskState.PENDING and move in IMPLIES_CONFIRM:
        confirm = TaskConfirm(task_id=change.before.wire_id)
        change = say(change, confirm, route, now, Move.CONFIRM)
    return note(change, type_of(words), words.to_json(), route, now, move, reply_to)


def note(
    change: Change,
    kind: str,
    words: Json,
    route: Route,
    now: datetime,
    move: Move | None,
    reply_to: str | None = None,
) -> Change:
    """Append to the log under any type; see `say`.

    `reply_to` is the id of the message that this one answers, where it answers one.
    """
    after = change.after
    state = after.state if move is None else next_state(after.state, move)
    generation = after.generation + 1
    logged = Logged(
        message_id=ids.new_message_id(),
        generation=generation,
        type=kind,
        sender=route[0],
        recipient=route[1],
        payload=words,
        created_at=now,
        in_reply_to=reply_to,
    )
    after = replace(after, state=state, generation=generation, updated_at=now)
    return replace(change, after=after, messages=(*change.messages, logged))


def withdraw(change: Change, by: str, now: datetime) -> Change:
    """Close a question that this change makes pointless."""
    if change.before.state not in WAITING or change.closed:
        return change
    return replace(change, closed=Closed(state="withdrawn", by=by, at=now))


def enqueue(change: Change, ready_at: datetime, policy: Policy) -> Change:
    """Put it in line for a worker, from `ready_at` on.

    A task that a peer executes has no worker here: only its deadline moves.
    """
    due_at = ready_at + timedelta(seconds=policy.max_queue_s)
    if change.after.executor != policy.node:
        return with_after(change, due_at=due_at)
    return with_after(
        change,
        ready_at=ready_at,
        queue_key=queue_key(ready_at, change.after.priority),
        due_at=due_at,
    )


def end_attempt(
    change: Change,
    outcome: str,
    now: datetime,
    trace: str = "",
    *,
    heard_at: datetime | None = None,
) -> Change:
    """Close the live attempt, if there is one, and count the time that it ran.

    `heard_at`: until when it is known to have run, if not until now.
    """
    after = change.after
    if after.attempt_started_at is None:
        return change
    ran = (heard_at or now) - after.attempt_started_at
    ended = EndedAttempt(
        number=after.attempt,
        worker=after.worker,
        started_at=after.attempt_started_at,
        ended_at=now,
        outcome=outcome,
        trace=trace,
    )
    change = with_after(
        change,
        worker="",
        leased_until=None,
        attempt_started_at=None,
        spent_ms=after.spent_ms + max(0, int(ran.total_seconds() * 1000)),
    )
    return replace(change, ended=ended)


def end(change: Change, now: datetime, status_message: str) -> Change:
    """What every terminal state has in common: nothing is due any more."""
    return with_after(
        change,
        status_message=status_message,
        eta=None,
        ready_at=None,
        queue_key=None,
        due_at=None,
        completed_at=now,
    )


def with_after(change: Change, **values: object) -> Change:
    """The change with other values in the row it leads to."""
    after = replace(change.after, **values)  # type: ignore[arg-type] # by field name
    return replace(change, after=after)
