"""Tasks that wait for people."""

from collections.abc import Callable
from typing import Any

import pytest

from agents_app.protocol.payloads import Action, Decision
from tasks_app import runner
from tasks_app.desk import Shown
from tasks_app.models import Question
from tests.factories import open_question, submitted

APPROVE = Decision(action=Action.APPROVE)
REJECT = Decision(action=Action.REJECT)


def shown(question: Question) -> Shown:
    """What somebody who opened the page now has on their screen."""
    return Shown(question_id=question.pk, version=question.version)


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
