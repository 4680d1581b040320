"""What answers may add up to: nobody fills the log or a row by answering in part."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from tasks_app import desk, runner
from tasks_app.desk import informing
from tasks_app.models import Message
from tests.factories import open_question, submitted


def provide(question, **facts):
    return desk.provide(question.task_id, facts, by="caller:1")


def refused(question, facts):
    with pytest.raises(SynapseError) as caught:
        desk.provide(question.task_id, facts, by="caller:1")
    assert caught.value.code is Code.INFO_INVALID
    return caught.value.details["fields"]


def test_it_takes_only_so_many_partial_answers(ask_info, monkeypatch):
    monkeypatch.setattr(informing, "MAX_PARTIAL_ANSWERS", 2)
    question = ask_info("colour", "size")
    provide(question, colour="red")
    provide(question, colour="blue")
    errors = refused(question, {"colour": "green"})
    assert "send all that is missing" in errors["provided_info"]
    assert Message.objects.filter(type="p2p:task_info_provided").count() == 2
    assert provide(question, size=1).state is TaskState.INFO_PROVIDED


def test_it_does_not_count_the_answers_to_another_question(
    caller, declare, monkeypatch
):
    monkeypatch.setattr(informing, "MAX_PARTIAL_ANSWERS", 1)

    def handler(ctx):
        ctx.need_info(["a", "b"], "First.")
        ctx.need_info(["c", "d"], "Second.")

    declare(handler)
    task = submitted(caller, "test_type")
    runner.drain("default")
    provide(open_question(task), a=1)
    provide(open_question(task), b=1)
    runner.drain("default")
    assert provide(open_question(task), c=1).state is TaskState.INFO_NEEDED


def test_it_keeps_no_more_than_a_row_should_hold(ask_info, monkeypatch):
    monkeypatch.setattr(informing, "MAX_PROVIDED_BYTES", 100)
    question = ask_info("a", "b", "c")
    provide(question, a="x" * 60)
    assert "100 bytes" in refused(question, {"b": "x" * 60})["provided_info"]


def test_it_names_only_some_of_many_errors(ask_info):
    """1 MB of unknown names, each with a list of all that is asked, would be GBs."""
    question = ask_info(*(f"field {number}" for number in range(100)))
    errors = refused(question, {f"x{number}": 1 for number in range(1000)})
    assert len(errors) == 20
    assert all("field 19 and 80 more." in text for text in errors.values())
