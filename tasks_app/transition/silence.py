"""What becomes of a task whose peer says nothing: offered to another one, or over.

The log stays honest: this node speaks here, never in the name of the silent one.
"""

from dataclasses import replace
from datetime import datetime

from agents_app.protocol.payloads import (
    ErrorObject,
    TaskCancel,
    TaskFailed,
    TaskRequest,
)
from agents_app.protocol.states import Move
from tasks_app import outbox
from tasks_app.changes import Change, Snapshot
from tasks_app.policy import Policy
from tasks_app.transition import steps


def offer_to(
    task: Snapshot,
    request: TaskRequest,
    *,
    executor: str,
    lane: str,
    due_at: datetime,
    now: datetime,
    policy: Policy,
) -> Change:
    """The task stays pending, with another executor and a fresh request for it.

    The one before is told to leave it alone; it may have the request and be unable to
    say so. `lane` is that of our handler, `due_at` when the next one must have taken
    it; our own queue has its own limit.
    """
    change = _take_back(task, "Offered to another agent.", now)
    route = (task.requester, executor)
    change = steps.say(change, request, route, now, None)
    change = steps.with_after(
        change,
        executor=executor,
        lane=lane,
        due_at=due_at,
        status_message="Offered to another agent.",
    )
    if executor == policy.node:
        change = steps.enqueue(change, now, policy)
    return outbox.announce(change, now, policy)


def give_up(
    task: Snapshot, error: ErrorObject, *, now: datetime, policy: Policy
) -> Change:
    """The task fails without a word of its executor, which is told to stop (G35)."""
    change = _take_back(task, error.message, now)
    words = TaskFailed(task_id=task.wire_id, error=error)
    route = (policy.node, task.requester)
    change = steps.say(change, words, route, now, Move.FAIL)
    change = steps.withdraw(change, policy.node, now)
    change = steps.end(change, now, error.message)
    return outbox.announce(replace(change, error=error.to_json()), now, policy)


def _take_back(task: Snapshot, reason: str, now: datetime) -> Change:
    words = TaskCancel(task_id=task.wire_id, reason=reason)
    route = steps.from_requester(task)
    return steps.say(steps.begin(task), words, route, now, None)
