"""Decisions that take several people: each vote is a change of its own."""

from dataclasses import replace
from datetime import datetime

from agents_app.protocol.states import Move, TaskState
from tasks_app.changes import Cast, Change, Held, Internal, Snapshot, Withdrawn
from tasks_app.policy import Policy
from tasks_app.transition import steps


def vote(task: Snapshot, ballot: Cast, *, by: str, policy: Policy) -> Change:
    """One of several; who held the question does not any more: the others are next."""
    if task.state is not TaskState.HUMAN_DECIDING:
        return cast(steps.begin(task), ballot, by=by, policy=policy)
    change = cast(steps.begin(task), ballot, by=by, policy=policy, move=Move.RELEASE)
    return replace(change, held=Held(user_id=None, at=None))


def unvote(
    task: Snapshot, *, voter_id: int, by: str, now: datetime, policy: Policy
) -> Change:
    """Somebody takes back their vote."""
    words = {"task_id": str(task.id)}
    route = (by, policy.node)
    change = steps.note(
        steps.begin(task), Internal.DESK_UNVOTE, words, route, now, None
    )
    return replace(change, withdrawn=Withdrawn(voter_id=voter_id, at=now))


def cast(
    change: Change, ballot: Cast, *, by: str, policy: Policy, move: Move | None = None
) -> Change:
    """Log the vote; also the last one, before the decision that it makes."""
    words = {
        "task_id": str(change.before.id),
        "level": ballot.level,
        "decision": ballot.decision,
        "decided_by": ballot.decided_by,
    }
    route = (by, policy.node)
    change = steps.note(change, Internal.DESK_VOTE, words, route, ballot.at, move)
    return replace(change, cast=ballot)
