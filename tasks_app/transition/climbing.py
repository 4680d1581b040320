"""A question goes from hand to hand and from level to level, and people hear of it."""

from dataclasses import replace
from datetime import datetime

from agents_app.protocol.states import Move, TaskState
from tasks_app.changes import Change, Held, Internal, Placed, Snapshot, Told
from tasks_app.policy import Policy
from tasks_app.transition import steps


def step(
    task: Snapshot,
    kind: Internal,
    placed: Placed,
    told: Told,
    *,
    next_at: datetime,
    policy: Policy,
    free: bool = False,
) -> Change:
    """One step on the ladder, by the clock or by hand; `told.by` says which.

    `free`: whoever holds the question does not any more. `next_at` is when the clock
    acts next.
    """
    free = free and task.state is TaskState.HUMAN_DECIDING
    move = Move.RELEASE if free else None
    route = (told.by, policy.node)
    change = steps.note(
        steps.begin(task), kind, _words(task, told), route, told.at, move
    )
    change = steps.with_after(change, due_at=next_at)
    held = Held(user_id=None, at=None) if free else None
    return replace(change, placed=placed, told=(told,), held=held)


def delegate(
    task: Snapshot, told: Told, *, to: str, held_by: str | None, policy: Policy
) -> Change:
    """Somebody gives the question to `to`, who holds it from now on."""
    words = _words(task, told) | {"to": to}
    if held_by:
        words["held_by"] = held_by
    move = Move.CLAIM if task.state is TaskState.NEED_HUMAN else None
    route = (told.by, policy.node)
    change = steps.note(
        steps.begin(task), Internal.DESK_DELEGATE, words, route, told.at, move
    )
    held = Held(user_id=told.to_user_id, at=told.at)
    return replace(change, held=held, told=(told,))


def _words(task: Snapshot, told: Told) -> dict[str, object]:
    words: dict[str, object] = {"task_id": str(task.id), "level": told.level}
    if told.from_level != told.level:
        words["from_level"] = told.from_level
    if told.comment:
        words["comment"] = told.comment
    return words
