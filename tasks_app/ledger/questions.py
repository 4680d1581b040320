"""Questions open and close in the transaction of the change that caused it."""

from collections.abc import Iterable

from django.db.models import QuerySet

from agents_app.journal import HUMAN_NAME, info_name
from tasks_app.changes import Change
from tasks_app.ledger import desk
from tasks_app.models import JournalEntry, Question, QuestionState


def write(changes: Iterable[Change]) -> None:
    """Close what the changes close, then open what they open."""
    for change in changes:
        if change.provided is not None:
            _open_one(change).update(provided=change.provided)
        if change.held:
            _open_one(change).update(
                claimed_by_id=change.held.user_id, claimed_at=change.held.at
            )
        desk.write(change)
        if change.closed:
            _close(change)
        if change.opened:
            _open(change)
            desk.tell(change, change.opened.id)


def _close(change: Change) -> None:
    closed = change.closed
    assert closed is not None  # noqa: S101 - for the type checker; `write` looked
    question = _open_one(change).first()
    if question is None:
        return
    Question.objects.filter(pk=question.pk).update(
        state=closed.state,
        closed_by=closed.by,
        closed_at=closed.at,
        answer=closed.answer,
    )
    if change.answered is not None and question.position is not None:
        JournalEntry.objects.create(
            task_id=change.before.id,
            position=question.position,
            kind=question.kind,
            name=_journal_name(question),
            value=change.answered,
            created_at=closed.at,
        )


def _open_one(change: Change) -> QuerySet[Question]:
    return Question.objects.filter(task_id=change.before.id, state=QuestionState.OPEN)


def _open(change: Change) -> None:
    opened = change.opened
    assert opened is not None  # noqa: S101 - for the type checker; `write` looked
    version = Question.objects.filter(task_id=change.before.id).count() + 1
    ours = opened.position is not None
    Question.objects.create(
        id=opened.id,
        owner=opened.owner,
        message_id=opened.message_id,
        request_id=opened.request_id,
        # A peer's question has the number that the peer gave it, if any.
        wire_version=version if ours else opened.wire_version,
        task_id=change.before.id,
        version=version,
        kind=opened.kind,
        position=opened.position,
        asked_by=opened.asked_by,
        created_at=opened.created_at,
        due_at=opened.due_at,
        level=opened.level,
        ladder=opened.ladder,
        answer_by=opened.answer_by,
        reason=opened.reason or {},
        options=list(opened.options),
        suggested_value=opened.suggested_value,
        decision_schema=opened.decision_schema,
        missing_fields=list(opened.missing_fields),
    )


def _journal_name(question: Question) -> str:
    """The name by which the handler's call finds its answer (context.py)."""
    if question.kind == Question.Kind.HUMAN:
        return HUMAN_NAME
    return info_name(field["name"] for field in question.missing_fields)
