"""Tasks that wait for people."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone

from agents_app.protocol.errors import SynapseError
from agents_app.protocol.payloads import Action, Decision
from tasks_app import runner
from tasks_app.desk import Shown
from tasks_app.models import Absence, Question, RungPolicy, Task
from tests.factories import open_question, submitted

APPROVE = Decision(action=Action.APPROVE)
REJECT = Decision(action=Action.REJECT)


def shown(question: Question) -> Shown:
    """What somebody who opened the page now has on their screen."""
    return Shown(question_id=question.pk, version=question.version)


def rule(level: int = 1, minutes: int = 60, **fields: object) -> RungPolicy:
    """What holds for all task types at this level."""
    within = timedelta(minutes=minutes)
    return RungPolicy.objects.create(level=level, answer_within=within, **fields)


def climbing() -> None:
    """An hour at each level, up to the top."""
    rule(1, then="climb")
    rule(2, then="climb")
    rule(3)


def away(user: User, deputy: User, **fields: object) -> Absence:
    """Out of office since an hour ago, for an hour more."""
    now, hour = timezone.now(), timedelta(hours=1)
    span = {"starts_at": now - hour, "ends_at": now + hour}
    return Absence.objects.create(user=user, deputy=deputy, **span | fields)


def pass_time(question: Question, minutes: float) -> None:
    """Let everything about it have been that much earlier; nobody sweeps meanwhile."""
    gone = timedelta(minutes=minutes)
    times = ("created_at", "due_at", "answer_by", "level_since", "stepped_at")
    Question.objects.filter(pk=question.pk).update(
        **{name: F(name) - gone for name in times}
    )
    Task.objects.filter(pk=question.task_id).update(due_at=F("due_at") - gone)
    question.refresh_from_db()


def code_of(verb: Callable[[], object]) -> int:
    """The code that it refuses with."""
    with pytest.raises(SynapseError) as refused:
        verb()
    return refused.value.code


@pytest.fixture
def ask_human(caller: Any, declare: Callable[..., None]) -> Callable[..., Question]:
    """Parks a task on `ctx.need_human(**question)`."""

    def park(**question: object) -> Question:
        declare(lambda ctx: {"approved": ctx.need_human(**question).approved})
        task = submitted(caller, "test_type")
        runner.drain("default")
        return open_question(task)

    return park


@pytest.fixture
def ask_info(caller: Any, declare: Callable[..., None]) -> Callable[..., Question]:
    """Parks a task on `ctx.need_info(fields)`."""

    def park(*fields: object) -> Question:
        declare(lambda ctx: ctx.need_info(fields or ["colour"], "Which?"))
        task = submitted(caller, "test_type")
        runner.drain("default")
        return open_question(task)

    return park
