"""Decisions: one per question, by somebody with the right, on what was shown."""

import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from agents_app.protocol.addresses import Party
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action, DecidedBy, Decision, HumanDecision
from agents_app.protocol.times import rfc3339
from tasks_app import lifecycle
from tasks_app.changes import Change, Snapshot
from tasks_app.desk.deadlines import is_late
from tasks_app.desk.naming import UNNAMED, Named, check_named
from tasks_app.desk.offers import check_offered
from tasks_app.models import Question, QuestionState
from tasks_app.transition import desk as plans
from tasks_app.transition import steps

ROLES = {1: "operator", 2: "supervisor", 3: "owner"}
TIMEOUT = "system:timeout"
# `protocol.model.Name`; Django allows user names of 150 characters.
MAX_NAME = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Which question, and in which version, somebody had on their screen."""

    question_id: uuid.UUID
    version: int


def address(user: User) -> str:
    """`desk:<user>`, the A2A address of an operator."""
    return Party.DESK.address(user.get_username())


def may_decide(user: User, question: Question) -> bool:
    """Whether the operator has the right for the level of this question."""
    return user.is_active and user.has_perm(f"tasks_app.decide_level_{question.level}")


def may_release(user: User) -> bool:
    """Whether the operator has the right to give back what others hold."""
    return user.is_active and user.has_perm("tasks_app.release_question")


def claim(shown: Shown, user: User) -> None:
    """Take a decision in hand; nothing happens when it already is.

    Raises FORBIDDEN, ALREADY_DECIDED (also by the deadline), QUESTION_CHANGED, or
    CLAIMED_BY_OTHER with who and when.
    """
    now = timezone.now()
    question = _open(shown, user, now)
    if question.claimed_by_id == user.pk:
        return

    def plan(task: Snapshot) -> Change:
        if _open(shown, user, now).claimed_by_id == user.pk:
            return steps.begin(task)  # A double click: the other one was faster.
        return plans.claim(
            task, user_id=user.pk, by=address(user), now=now, policy=lifecycle.policy()
        )

    lifecycle.change(question.task_id, plan)


def release(shown: Shown, user: User) -> None:
    """Give a claimed decision back to the inbox: one's own, or with `may_release` any.

    A holder who is absent must not block a decision. Raises like `claim`.
    """
    now = timezone.now()
    find = _open_to_anyone if may_release(user) else _open
    question = find(shown, user, now)
    if question.claimed_by is None:
        return

    def plan(task: Snapshot) -> Change:
        holder = find(shown, user, now).claimed_by
        if holder is None:
            return steps.begin(task)
        return plans.release(
            task,
            by=address(user),
            held_by=address(holder),
            now=now,
            policy=lifecycle.policy(),
        )

    lifecycle.change(question.task_id, plan)


def decide(shown: Shown, decision: Decision, user: User) -> None:
    """End the question with a decision (A2A 6.10); the agent goes on with it.

    Raises FORBIDDEN, ALREADY_DECIDED with who and when, QUESTION_CHANGED,
    CLAIMED_BY_OTHER, DECISION_INVALID for an answer that was not offered. After the
    deadline the question is declined instead, as the sweep would, and this is refused.
    """
    now = timezone.now()
    question = _open(shown, user, now)
    words = HumanDecision(
        task_id=task_name(question),
        request_id=question.request_id,
        version=question.wire_version,
        decision=check_offered(question, decision),
        decided_by=_decider(user, question),
    )

    def plan(task: Snapshot) -> Change:
        _open(shown, user, now)
        return plans.decide(
            task,
            words,
            by=address(user),
            now=now,
            policy=lifecycle.policy(),
            question_id=question.message_id,
        )

    lifecycle.change(question.task_id, plan)


def change_by_peer(
    task: Snapshot,
    words: HumanDecision,
    *,
    by: str,
    now: datetime,
    named: Named = UNNAMED,
) -> Change:
    """The peer that asked for the task answers its question (decisions 13).

    ALREADY_DECIDED when none is open or its time is over, QUESTION_CHANGED when it
    answers another one, FORBIDDEN when the decision is our desk's, DECISION_INVALID.
    """
    question = Question.objects.filter(
        task_id=task.id, kind=Question.Kind.HUMAN, state=QuestionState.OPEN
    ).first()
    if question is None:
        code = Code.TASK_ENDED if task.ended else Code.ALREADY_DECIDED
        raise SynapseError(code, details={"state": str(task.state)})
    if question.owner != "peer":
        raise SynapseError(Code.FORBIDDEN)
    check_named(question, named)
    if is_late(question, now):
        raise _too_late(question)
    check_offered(question, words.decision)
    return plans.decide(
        task,
        words,
        by=by,
        now=now,
        policy=lifecycle.policy(),
        question_id=question.message_id,
    )


def decide_by_timeout(question: Question) -> None:
    """Nobody answered in time: silence is never consent, so it is declined (G42)."""
    now = timezone.now()
    words = HumanDecision(
        task_id=task_name(question),
        request_id=question.request_id,
        version=question.wire_version,
        decision=Decision(action=Action.REJECT, comment="Nobody answered in time."),
        decided_by=DecidedBy(user_id=TIMEOUT, role="policy"),
    )

    def plan(task: Snapshot) -> Change:
        # Read after the task, as in `_open`: it may ask something else by now (G41).
        asked = Question.objects.get(pk=question.pk)
        if not asked.is_open:
            raise SynapseError(Code.ALREADY_DECIDED, details=_end_of(asked))
        return plans.decide(
            task,
            words,
            by=TIMEOUT,
            now=now,
            policy=lifecycle.policy(),
            state=QuestionState.EXPIRED,
            question_id=question.message_id,
        )

    lifecycle.change(question.task_id, plan)


def _open(shown: Shown, user: User, now: datetime) -> Question:
    """The question as it stands, if this user may still answer what was shown.

    Read after the task: when the question changes later, so does the task's generation,
    and the write is refused.
    """
    question = _find(shown)
    if question.owner != "us" or not may_decide(user, question):
        raise SynapseError(Code.FORBIDDEN, details={"level": question.level})
    _check_current(question, shown, now)
    holder = question.claimed_by
    if holder is not None and holder.pk != user.pk:
        raise SynapseError(Code.CLAIMED_BY_OTHER, details=_claim_of(question, holder))
    return question


def task_name(question: Question) -> str:
    """The `task_id` of its messages (A2A 6.1: the requester's own)."""
    return question.task.requester_task_id or str(question.task_id)


def _open_to_anyone(shown: Shown, _user: User, now: datetime) -> Question:
    """Like `_open`, whatever its level and whoever holds it."""
    question = _find(shown)
    _check_current(question, shown, now)
    return question


def _find(shown: Shown) -> Question:
    found = Question.objects.select_related("claimed_by", "task")
    question = found.filter(pk=shown.question_id).first()
    if question is None:
        raise SynapseError(Code.QUESTION_CHANGED)
    return question


def _check_current(question: Question, shown: Shown, now: datetime) -> None:
    if not question.is_open:
        raise SynapseError(Code.ALREADY_DECIDED, details=_end_of(question))
    if question.version != shown.version:
        raise SynapseError(Code.QUESTION_CHANGED, details={"version": question.version})
    if is_late(question, now):
        raise _too_late(question)


def _too_late(question: Question) -> SynapseError:
    """The deadline decides now, not at the next sweep; whoever is late is told so."""
    with suppress(SynapseError):  # Whoever was faster has ended it.
        decide_by_timeout(question)
    question.refresh_from_db()
    return SynapseError(Code.ALREADY_DECIDED, details=_end_of(question))


def _decider(user: User, question: Question) -> DecidedBy:
    """Who decided, as the message says it: its names are shorter than a user's."""
    return DecidedBy(user_id=user.get_username()[:MAX_NAME], role=ROLES[question.level])


def _end_of(question: Question) -> dict[str, object]:
    at = rfc3339(question.closed_at) if question.closed_at else None
    return {"state": question.state, "by": question.closed_by, "at": at}


def _claim_of(question: Question, holder: User) -> dict[str, object]:
    at = rfc3339(question.claimed_at) if question.claimed_at else None
    return {"by": holder.get_username(), "at": at}
