"""G42: silence is never consent."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from tasks_app import desk, runner
from tasks_app.models import Question
from tasks_app.sweep import sweep
from tests.factories import open_question, row
from tests.tasks.sweep.aging import overdue, parked


@pytest.fixture
def task(caller):
    return parked(caller, "probe_need_human")


def test_it_declines_for_nobody_in_particular(task):
    overdue(task)
    sweep()
    assert row(task).state == TaskState.HUMAN_REJECTED
    question = Question.objects.get()
    assert (question.state, question.closed_by) == ("expired", "system:timeout")
    said = row(task).messages.get(type="p2p:human_decision").payload
    assert said["decision"]["action"] == "reject"
    assert said["decided_by"] == {"user_id": "system:timeout", "role": "policy"}


def test_it_lets_the_handler_go_on_with_the_rejection(task):
    overdue(task)
    sweep()
    runner.drain("default")
    result = row(task).result
    assert (result["action"], result["approved"]) == ("reject", False)
    assert result["decided_by"]["user_id"] == "system:timeout"


def test_it_does_so_even_while_somebody_holds_it(task, olga):
    question = open_question(task)
    shown = desk.Shown(question_id=question.pk, version=question.version)
    desk.claim(shown, olga)
    overdue(task)
    sweep()
    assert row(task).state == TaskState.HUMAN_REJECTED


def test_it_does_not_decline_the_next_question(caller, declare):
    """G41: it looked, was slow, and the task asks something else by now."""

    def handler(ctx):
        ctx.need_human(reason={"summary": "First."})
        ctx.need_human(reason={"summary": "Second."})

    declare(handler)
    other = parked(caller, "test_type")
    first = open_question(other)
    desk.decide_by_timeout(first)
    runner.drain("default")
    with pytest.raises(SynapseError) as refused:
        desk.decide_by_timeout(first)
    assert refused.value.code is Code.ALREADY_DECIDED
    assert row(other).state == TaskState.NEED_HUMAN
    assert open_question(other).reason == {"summary": "Second."}
