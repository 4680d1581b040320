"""The question as it stands, if somebody may still answer what they were shown.

Read after the task: when the question changes later, so does the task's generation, and
the write is refused.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.times import rfc3339
from tasks_app.desk import rights
from tasks_app.desk.deadlines import is_late
from tasks_app.desk.rights import Capacity
from tasks_app.desk.timeouts import end_of, too_late
from tasks_app.models import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Which question, and in which version, somebody had on their screen.

    `level`, where a page says it, only serves to tell people that it climbed meanwhile:
    who has the right for the level where it is now may go on with the page they have.
    """

    question_id: uuid.UUID
    version: int
    level: int | None = None


def open_for(
    shown: Shown, user: User, now: datetime, on_behalf_of: User | None = None
) -> tuple[Question, Capacity]:
    """For those who may decide it, and while nobody else holds it.

    Raises FORBIDDEN, OWN_STAFF, ALREADY_DECIDED, QUESTION_CHANGED, QUESTION_CLIMBED,
    CLAIMED_BY_OTHER. A deputy is let through to what the absent person holds.
    """
    question = find(shown)
    if question.owner != "us":
        raise SynapseError(Code.FORBIDDEN, details={"level": question.level})
    try:
        acting = rights.capacity_of(user, question, now, on_behalf_of)
    except SynapseError as refused:
        if refused.code is Code.FORBIDDEN and _climbed(shown, question, user):
            check_current(question, shown, now)
            raise _elsewhere(question) from refused
        raise
    check_current(question, shown, now)
    holder = question.claimed_by
    if holder is not None and holder.pk not in (user.pk, acting.principal.pk):
        if on_behalf_of is not None:
            raise _claimed(question, holder)
        acting = _for_holder(question, holder, user, now)
    return question, acting


def open_to_anyone(shown: Shown, now: datetime) -> Question:
    """Whatever its level and whoever holds it."""
    question = find(shown)
    check_current(question, shown, now)
    return question


def find(shown: Shown) -> Question:
    """With the task and the holder; QUESTION_CHANGED when there is none."""
    found = Question.objects.select_related("claimed_by", "task")
    question = found.filter(pk=shown.question_id).first()
    if question is None:
        raise SynapseError(Code.QUESTION_CHANGED)
    return question


def check_current(question: Question, shown: Shown, now: datetime) -> None:
    """ALREADY_DECIDED (also by the deadline), QUESTION_CHANGED."""
    if not question.is_open:
        raise SynapseError(Code.ALREADY_DECIDED, details=end_of(question))
    if question.version != shown.version:
        raise SynapseError(Code.QUESTION_CHANGED, details={"version": question.version})
    if is_late(question, now):
        raise too_late(question)


def _for_holder(
    question: Question, holder: User, user: User, now: datetime
) -> Capacity:
    """What an absent person holds, their deputy decides for them."""
    try:
        return rights.capacity_of(user, question, now, holder)
    except SynapseError:
        raise _claimed(question, holder) from None


def _climbed(shown: Shown, question: Question, user: User) -> bool:
    """Whether they could have decided what they saw."""
    seen = shown.level
    moved = seen is not None and seen != question.level
    return moved and seen is not None and rights.has_right(user, seen)


def _elsewhere(question: Question) -> SynapseError:
    at = rfc3339(question.level_since) if question.level_since else None
    details = {"level": question.level, "at": at}
    return SynapseError(Code.QUESTION_CLIMBED, details=details)


def _claimed(question: Question, holder: User) -> SynapseError:
    at = rfc3339(question.claimed_at) if question.claimed_at else None
    details = {"by": holder.get_username(), "at": at}
    return SynapseError(Code.CLAIMED_BY_OTHER, details=details)
