"""What the desk and the clock do to an open question: its place, votes, events."""

import uuid

from tasks_app.changes import Change
from tasks_app.models import DeskEvent, Question, QuestionState, Vote


def write(change: Change) -> None:
    """All of it, while the question is open still."""
    if not (change.placed or change.cast or change.withdrawn or change.told):
        return
    asked = Question.objects.filter(task_id=change.before.id, state=QuestionState.OPEN)
    question_id = asked.values_list("pk", flat=True).first()
    if question_id is None:
        return
    _place(change, question_id)
    _vote(change, question_id)
    if change.opened is None:
        tell(change, question_id)


def tell(change: Change, question_id: uuid.UUID) -> None:
    """The events, for those who make notifications of them."""
    DeskEvent.objects.bulk_create(
        DeskEvent(
            question_id=question_id,
            kind=told.kind,
            level=told.level,
            from_level=told.from_level,
            groups=list(told.groups),
            to_user_id=told.to_user_id,
            by=told.by,
            comment=told.comment,
            due_at=told.due_at,
            created_at=told.at,
        )
        for told in change.told
    )


def _place(change: Change, question_id: uuid.UUID) -> None:
    placed = change.placed
    if placed is not None:
        Question.objects.filter(pk=question_id).update(
            level=placed.level,
            level_since=placed.level_since,
            stepped_at=placed.stepped_at,
            due_at=placed.due_at,
        )


def _vote(change: Change, question_id: uuid.UUID) -> None:
    if change.withdrawn is not None:
        mine = Vote.objects.filter(
            question_id=question_id,
            voter_id=change.withdrawn.voter_id,
            withdrawn_at=None,
        )
        mine.update(withdrawn_at=change.withdrawn.at)
    cast = change.cast
    if cast is not None:
        Vote.objects.create(
            question_id=question_id,
            level=cast.level,
            voter_id=cast.voter_id,
            principal_id=cast.principal_id,
            decision=dict(cast.decision),
            decided_by=dict(cast.decided_by),
            created_at=cast.at,
        )
