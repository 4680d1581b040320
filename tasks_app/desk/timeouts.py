"""Nobody answered in time: silence is never consent (G42).

sweep → climbing.advance ─┐
a verb that is late ──────┴→ here → lifecycle.change
"""

from contextlib import suppress
from datetime import datetime

from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action, DecidedBy, Decision, HumanDecision
from agents_app.protocol.times import rfc3339
from tasks_app import lifecycle
from tasks_app.changes import Change, Snapshot
from tasks_app.models import Question, QuestionState
from tasks_app.transition import desk as plans

TIMEOUT = "system:timeout"


def decide_by_timeout(question: Question) -> None:
    """It is declined by `system:timeout`.

    ALREADY_DECIDED when somebody was faster, QUESTION_CHANGED when it was given more
    time since it was read.
    """
    now = timezone.now()

    def plan(task: Snapshot) -> Change:
        # Read after the task, as in `opening`: it may ask something else by now (G41).
        asked = read_open(question)
        if asked.due_at != question.due_at:
            raise SynapseError(Code.QUESTION_CHANGED)
        return declined(task, asked, now)

    lifecycle.change(question.task_id, plan)


def read_open(question: Question) -> Question:
    """As it stands; ALREADY_DECIDED with who and when if it is closed."""
    asked = Question.objects.select_related("claimed_by", "task").get(pk=question.pk)
    if not asked.is_open:
        raise SynapseError(Code.ALREADY_DECIDED, details=end_of(asked))
    return asked


def declined(task: Snapshot, question: Question, now: datetime) -> Change:
    """The rejection, as a change of its task."""
    words = HumanDecision(
        task_id=task_name(question),
        request_id=question.request_id,
        version=question.wire_version,
        decision=Decision(action=Action.REJECT, comment="Nobody answered in time."),
        decided_by=DecidedBy(user_id=TIMEOUT, role="policy"),
    )
    return plans.decide(
        task,
        words,
        by=TIMEOUT,
        now=now,
        policy=lifecycle.policy(),
        state=QuestionState.EXPIRED,
        question_id=question.message_id,
    )


def too_late(question: Question) -> SynapseError:
    """The deadline decides now, not at the next sweep; whoever is late is told so."""
    with suppress(SynapseError):  # Whoever was faster has ended it.
        decide_by_timeout(question)
    question.refresh_from_db()
    if question.is_open:  # Given more time in this moment.
        return SynapseError(Code.QUESTION_CHANGED)
    return SynapseError(Code.ALREADY_DECIDED, details=end_of(question))


def task_name(question: Question) -> str:
    """The `task_id` of its messages (A2A 6.1: the requester's own)."""
    return question.task.requester_task_id or str(question.task_id)


def end_of(question: Question) -> dict[str, object]:
    """How a closed question ended, as details of an error."""
    at = rfc3339(question.closed_at) if question.closed_at else None
    return {"state": question.state, "by": question.closed_by, "at": at}
