"""Facts for an info request: partial, complete, and those that do not fit."""

import pytest

from agents_app.context import MissingField
from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from tasks_app import desk, lifecycle, runner
from tasks_app.models import JournalEntry
from tests.factories import log, open_question, row, submitted
from tests.tasks.racing import race


def provide(question, version=None, **facts):
    return desk.provide(question.task_id, facts, by="caller:1", version=version)


def refused(question, version=None, **facts):
    with pytest.raises(SynapseError) as caught:
        provide(question, version, **facts)
    return caught.value


def invalid(question, **facts):
    """What is wrong, field by field; nothing is kept."""
    error = refused(question, **facts)
    assert error.code is Code.INFO_INVALID
    question.refresh_from_db()
    assert question.provided == {}
    return error.details["fields"]


def test_it_goes_on_when_all_is_there(ask_info):
    question = ask_info("colour")
    task = provide(question, colour="red")
    assert task.state is TaskState.INFO_PROVIDED
    question.refresh_from_db()
    assert (question.state, question.closed_by) == ("answered", "caller:1")
    assert question.answer == question.provided == {"colour": "red"}


def test_it_adds_up_partial_answers(ask_info):
    """Decisions 12: a partial answer stays info_needed."""
    question = ask_info("colour", "size")
    assert provide(question, colour="red").state is TaskState.INFO_NEEDED
    question.refresh_from_db()
    assert (question.is_open, question.provided) == (True, {"colour": "red"})
    assert provide(question, size=3).state is TaskState.INFO_PROVIDED
    assert JournalEntry.objects.get().value == {"colour": "red", "size": 3}


def test_it_lets_a_later_answer_correct_an_earlier_one(ask_info):
    question = ask_info("colour", "size")
    provide(question, colour="red")
    provide(question, colour="blue", size=3)
    assert JournalEntry.objects.get().value == {"colour": "blue", "size": 3}


def test_it_logs_what_each_one_provided(ask_info):
    question = ask_info("colour", "size")
    provide(question, colour="red")
    provide(question, size=3)
    said = row_messages(question, "p2p:task_info_provided")
    assert [one["provided_info"] for one in said] == [{"colour": "red"}, {"size": 3}]
    assert {(one["request_id"], one["version"]) for one in said} == {
        (str(question.pk), 1)
    }


def row_messages(question, kind):
    found = question.task.messages.filter(type=kind).order_by("generation")
    return [message.payload for message in found]


def test_it_does_not_wait_for_optional_facts(ask_info):
    question = ask_info("colour", MissingField(name="note", required=False))
    assert provide(question, colour="red").state is TaskState.INFO_PROVIDED


def test_it_refuses_facts_that_nobody_asked_for(ask_info):
    question = ask_info("colour", "size")
    fields = invalid(question, weight=3, colour="red")
    assert fields == {"weight": "Not asked for; expected some of: colour, size."}


def test_it_refuses_a_huge_answer(ask_info):
    assert set(invalid(ask_info("note"), note="x" * 100_000)) == {"provided_info"}


def test_it_says_where_inside_a_field_it_is_wrong(ask_info):
    schema = {"properties": {"sizes": {"items": {"type": "integer"}}}}
    question = ask_info(MissingField(name="shoes", json_schema=schema))
    fields = invalid(question, shoes={"sizes": [41, "x"]})
    assert fields == {"shoes": "sizes.1 must be of type integer"}


def test_it_refuses_an_empty_answer(ask_info):
    assert set(invalid(ask_info("colour"))) == {"provided_info"}


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("string", 5),
        ("integer", "5"),
        ("integer", 5.5),
        ("number", "5"),
        ("boolean", 1),
        ("object", []),
        ("array", {}),
        ("string", None),
    ],
)
def test_it_refuses_a_value_of_another_type(ask_info, kind, wrong):
    question = ask_info(MissingField(name="fact", type=kind))
    assert set(invalid(question, fact=wrong)) == {"fact"}


@pytest.mark.parametrize("kind", [None, "date", "an e-mail address"])
def test_it_takes_anything_where_the_type_is_only_a_hint(ask_info, kind):
    question = ask_info(MissingField(name="fact", type=kind))
    assert provide(question, fact={"any": 1}).state is TaskState.INFO_PROVIDED


def test_it_checks_the_schema_of_each_field(ask_info):
    schema = {"type": "array", "items": {"type": "integer"}, "maxItems": 2}
    question = ask_info(MissingField(name="sizes", schema=schema), "colour")
    assert set(invalid(question, sizes=[1, "2"], colour=1)) == {"sizes"}
    provide(question, sizes=[1, 2], colour=1)


@pytest.mark.parametrize(
    ("kind", "wrong", "right"),
    [
        ("date", "2026-02-30", "2026-02-28"),
        ("date-time", "tomorrow", "2026-02-28T09:00:00Z"),
        ("email", "alice", "alice@example.com"),
    ],
)
def test_it_asserts_formats(ask_info, kind, wrong, right):
    schema = {"type": "string", "format": kind}
    question = ask_info(MissingField(name="fact", schema=schema))
    assert set(invalid(question, fact=wrong)) == {"fact"}
    assert provide(question, fact=right).state is TaskState.INFO_PROVIDED


def test_it_refuses_an_answer_to_another_version(ask_info):
    """G41."""
    question = ask_info("colour")
    error = refused(question, version=2, colour="red")
    assert error.code is Code.QUESTION_CHANGED
    assert error.details == {"version": 1}
    assert provide(question, version=1, colour="red").state is TaskState.INFO_PROVIDED


def test_it_does_not_take_an_answer_twice(ask_info):
    question = ask_info("colour")
    provide(question, colour="red")
    error = refused(question, colour="red")
    assert error.code is Code.NO_INFO_NEEDED
    assert error.details == {"state": "info_provided"}


def test_it_refuses_an_answer_after_the_end(ask_info):
    """G34."""
    question = ask_info("colour")
    lifecycle.cancel(question.task_id, by="caller:1")
    assert refused(question, colour="red").code is Code.TASK_ENDED


def test_it_refuses_facts_where_a_person_is_asked(caller):
    task = submitted(caller, "probe_need_human")
    runner.drain("default")
    assert refused(open_question(task), colour="red").code is Code.NO_INFO_NEEDED


def test_it_knows_no_other_tasks(db):
    with pytest.raises(SynapseError) as caught:
        desk.provide(ids.new_id(), {"a": 1}, by="caller:1")
    assert caught.value.code is Code.TASK_NOT_FOUND


@pytest.mark.parametrize("value", ["a\0b", float("nan"), 10**400])
def test_it_refuses_what_no_row_can_hold(ask_info, value):
    assert refused(ask_info("colour"), colour=value).code is Code.UNSTORABLE_VALUE


def test_it_does_not_tell_the_caller_its_own_answer(ask_info, caller):
    """Only a change of the public status is announced."""
    question = ask_info("colour", "size")
    type(question.task).objects.update(callback_url="https://example.com/")
    provide(question, colour="red")
    provide(question, size=1)
    assert not question.task.deliveries.exists()


@pytest.mark.django_db(transaction=True)
def test_it_loses_no_fact_when_two_answer_at_once(ask_info):
    question = ask_info("colour", "size")
    race(lambda: provide(question, colour="red"), lambda: provide(question, size=3))
    question.refresh_from_db()
    assert question.answer == {"colour": "red", "size": 3}
    assert log(question.task).count("task_info_provided") == 2
    assert row(question.task).state == TaskState.INFO_PROVIDED
