"""G44: only what was offered is an answer, and the question stays open otherwise."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action, Decision
from tasks_app import desk
from tasks_app.models import Question
from tests.receiver import Receiver, ok
from tests.tasks.desk.conftest import shown

SCHEMA = {
    "type": "object",
    "properties": {"amount": {"type": "integer", "minimum": 0}},
    "required": ["amount"],
}


def select(option):
    return Decision(action=Action.SELECT, option_id=option)


def modify(value):
    return Decision(action=Action.MODIFY, value=value)


def refuse(question, decision, user):
    """The fields that are wrong."""
    with pytest.raises(SynapseError) as caught:
        desk.decide(shown(question), decision, user)
    assert caught.value.code is Code.DECISION_INVALID
    question.refresh_from_db()
    assert question.is_open
    assert not question.task.messages.filter(type="p2p:human_decision").exists()
    return caught.value.details["fields"]


def answer(question, decision, user):
    desk.decide(shown(question), decision, user)
    question.refresh_from_db()
    return question.answer["decision"]


def with_schema(question, schema):
    """As somebody else may have asked: a handler cannot ask with a broken one."""
    Question.objects.filter(pk=question.pk).update(decision_schema=schema)


def test_it_takes_an_option_that_was_offered(ask_human, olga):
    question = ask_human(options=["left", "right"])
    assert answer(question, select("left"), olga) == {
        "action": "select",
        "option_id": "left",
    }


@pytest.mark.parametrize("option", ["up", "LEFT", " left"])
def test_it_refuses_an_option_that_was_not_offered(ask_human, olga, option):
    question = ask_human(options=["left", "right"])
    assert refuse(question, select(option), olga) == {
        "option_id": "Not one of: left, right."
    }


def test_it_refuses_a_selection_where_nothing_is_to_be_selected(ask_human, olga):
    fields = refuse(ask_human(), select("left"), olga)
    assert fields == {"option_id": "Not one of: none."}


def test_it_takes_a_value_that_fits_the_schema(ask_human, olga):
    question = ask_human(decision_schema=SCHEMA)
    assert answer(question, modify({"amount": 3}), olga)["value"] == {"amount": 3}


def test_it_takes_any_object_where_only_a_value_was_suggested(ask_human, olga):
    question = ask_human(suggested_value={"amount": 1})
    assert answer(question, modify({"other": None}), olga)["value"] == {"other": None}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"amount": "3"}, "value.amount"),
        ({"amount": -1}, "value.amount"),
        ({}, "value"),
        ([3], "value"),
        ("3", "value"),
    ],
)
def test_it_refuses_a_value_that_breaks_the_schema(ask_human, olga, value, path):
    question = ask_human(decision_schema=SCHEMA)
    assert set(refuse(question, modify(value), olga)) == {path}


def test_it_asserts_formats(ask_human, olga):
    schema = {"properties": {"day": {"type": "string", "format": "date"}}}
    question = ask_human(decision_schema=schema)
    assert set(refuse(question, modify({"day": "31.05.2026"}), olga)) == {"value.day"}


def test_it_refuses_a_value_where_none_was_asked_for(ask_human, olga):
    fields = refuse(ask_human(), modify({"amount": 3}), olga)
    assert fields == {"value": "This request does not take a value."}


def test_it_refuses_a_huge_value(ask_human, olga):
    question = ask_human(suggested_value={})
    assert set(refuse(question, modify({"a": "x" * 100_000}), olga)) == {"value"}


def test_it_refuses_a_huge_comment(ask_human, olga):
    huge = Decision(action=Action.APPROVE, comment="x" * 1_000_000)
    assert set(refuse(ask_human(), huge, olga)) == {"comment"}


def test_it_refuses_what_no_row_can_hold(ask_human, olga):
    with pytest.raises(SynapseError) as caught:
        desk.decide(
            shown(ask_human()), Decision(action=Action.REJECT, comment="a\0b"), olga
        )
    assert caught.value.code is Code.UNSTORABLE_VALUE


@pytest.mark.parametrize("action", [Action.APPROVE, Action.REJECT, Action.SELECT])
def test_it_refuses_a_value_beside_another_action(ask_human, olga, action):
    """Nothing checked it, so the handler must not see it."""
    option = "left" if action is Action.SELECT else None
    decision = Decision(action=action, option_id=option, value={"amount": -1})
    question = ask_human(options=["left"], decision_schema=SCHEMA)
    assert set(refuse(question, decision, olga)) == {"value"}


@pytest.mark.parametrize("action", [Action.APPROVE, Action.REJECT, Action.MODIFY])
def test_it_refuses_an_unknown_option_beside_another_action(ask_human, olga, action):
    value = {"amount": 1} if action is Action.MODIFY else None
    decision = Decision(action=action, option_id="up", value=value)
    question = ask_human(options=["left"], decision_schema=SCHEMA)
    assert set(refuse(question, decision, olga)) == {"option_id"}


def test_it_takes_a_verdict_that_was_offered_as_an_option(ask_human, olga):
    question = ask_human(options=["approve", "reject"])
    decision = Decision(action=Action.REJECT, option_id="reject")
    assert answer(question, decision, olga)["option_id"] == "reject"


def test_it_never_fetches_a_schema_from_elsewhere(ask_human, olga):
    """G25: a `$ref` would let an agent have this node open any address."""
    with Receiver(ok(b"{}")) as receiver:
        question = ask_human(decision_schema={"type": "object"})
        with_schema(question, {"$ref": receiver.url("/schema")})
        with pytest.raises(SynapseError) as caught:
            desk.decide(shown(question), modify({}), olga)
        assert caught.value.code is Code.SCHEMA_INVALID
        assert receiver.connections == 0


@pytest.mark.parametrize(
    "broken", [{"type": "nonsense"}, {"required": 5}, {"$ref": "#/no"}]
)
def test_it_says_that_the_schema_itself_is_broken(ask_human, olga, broken):
    question = ask_human(decision_schema={"type": "object"})
    with_schema(question, broken)
    with pytest.raises(SynapseError) as caught:
        desk.decide(shown(question), modify({"a": 1}), olga)
    assert caught.value.code is Code.SCHEMA_INVALID
