"""Questions end the attempt; the answer comes back when the handler runs again."""

from datetime import timedelta

import pytest

from agents_app.context import JournalEntry, JournalKind, MissingField, Option, Parked
from agents_app.dispatch import Assignment, run
from agents_app.protocol.errors import Code
from agents_app.protocol.payloads import TaskNeedHuman, TaskNeedInfo
from agents_app.testing import MemoryHost, approve, modify, reject, select
from tests.agents.play import play, spec_of

DATE = MissingField(name="date", type="string", json_schema={"format": "date"})


def ask_a_person(ctx):
    decision = ctx.need_human(level=2, reason={"summary": "May I?"})
    return {
        "action": str(decision.action),
        "option_id": decision.option_id,
        "value": decision.value,
        "comment": decision.comment,
        "by": decision.decided_by.user_id,
        "approved": decision.approved,
    }


def resumed(function, *journal, **limits):
    assignment = Assignment(task_id="t", attempt=2, payload={}, journal=journal)
    return run(spec_of(function, **limits), assignment, MemoryHost())


def entry(position, kind, name, value=None):
    return JournalEntry(
        position=position, kind=JournalKind(kind), name=name, value=value
    )


def test_it_asks_the_caller_with_typed_fields_and_plain_names():
    played = play(lambda ctx: ctx.need_info([DATE, "vendor"], "Not on the paper."))
    (question,) = played.questions
    assert isinstance(question, TaskNeedInfo)
    assert question.reason == "Not on the paper."
    assert [field.name for field in question.missing_fields] == ["date", "vendor"]
    assert question.missing_fields[0].json_schema == {"format": "date"}


def test_it_returns_what_the_caller_provided():
    played = play(
        lambda ctx: ctx.need_info(["colour"], "Which?"),
        answers=[{"colour": "red", "more": [1]}],
    )
    assert played.result == {"colour": "red", "more": [1]}


def test_it_asks_a_person_with_everything_they_need():
    def handler(ctx):
        ctx.need_human(
            level=3,
            reason={"summary": "Much money"},
            options=["later", Option(id="now", label="Now")],
            suggested_value={"amount": 5},
            decision_schema={"type": "object"},
            answer_within=timedelta(hours=2),
        )

    (question,) = play(handler).questions
    assert isinstance(question, TaskNeedHuman)
    assert question.to_json() == {
        "task_id": "task-1",
        "escalation_level": 3,
        "reason": {"summary": "Much money"},
        "options": [{"id": "later", "label": "later"}, {"id": "now", "label": "Now"}],
        "suggested_value": {"amount": 5},
        "decision_schema": {"type": "object"},
        "answer_within_s": 7200,
    }


@pytest.mark.parametrize(
    ("answer", "action", "approved"),
    [
        (approve("fine"), "approve", True),
        (reject("no"), "reject", False),
        (select("later"), "select", True),
        (modify({"amount": 3}), "modify", True),
    ],
)
def test_it_returns_the_decision_whatever_it_was(answer, action, approved):
    result = play(ask_a_person, answers=[answer]).result
    assert (result["action"], result["approved"]) == (action, approved)
    assert result["comment"] == answer.decision.comment
    assert result["option_id"] == answer.decision.option_id
    assert result["value"] == answer.decision.value
    assert result["by"] == "tester"


def test_it_says_where_the_answer_belongs_in_the_journal():
    def handler(ctx):
        ctx.step("first", lambda: 1)
        ctx.need_info(["colour"], "Which?")

    assert play(handler).outcome.position == 1


def test_it_waits_as_long_as_the_type_allows_unless_told_otherwise():
    def handler(ctx):
        ctx.need_info(["colour"], "Which?")

    assert play(handler).questions[0].answer_within_s is None
    limited = play(handler, limits={"answer_within_s": 60})
    assert limited.questions[0].answer_within_s == 60


@pytest.mark.parametrize(
    "recorded",
    [
        entry(0, "info", "size"),
        entry(0, "human", "level"),
        entry(0, "step", "colour"),
    ],
)
def test_it_notices_a_handler_that_asks_something_else_than_before(recorded):
    outcome = resumed(lambda ctx: ctx.need_info(["colour"], "Which?"), recorded)
    error = outcome.payload.error
    assert error.code == Code.JOURNAL_MISMATCH
    assert not outcome.retryable
    assert error.details == {
        "position": 0,
        "expected": {"kind": str(recorded.kind), "name": recorded.name},
        "found": {"kind": "info", "name": "colour"},
    }


def test_it_does_not_care_about_the_order_of_field_names():
    outcome = resumed(
        lambda ctx: ctx.need_info(["b", "a"], "Which?"),
        entry(0, "info", "a,b", {"a": 1, "b": 2}),
    )
    assert outcome.payload.result == {"a": 1, "b": 2}


def test_it_notices_a_handler_that_ends_without_hearing_an_answer():
    outcome = resumed(lambda ctx: {}, entry(0, "human", "level", {}))
    assert outcome.payload.error.code == Code.JOURNAL_MISMATCH
    assert outcome.payload.error.details["found"] is None


def test_the_question_stands_when_a_handler_swallows_it():
    def handler(ctx):
        try:
            ctx.need_human(reason={"summary": "May I?"})
        except Parked:
            return {"approved": True}

    assert isinstance(play(handler).outcome.payload, TaskNeedHuman)


def test_the_question_stands_when_a_handler_swallows_it_and_goes_on():
    def handler(ctx):
        try:
            ctx.need_human(reason={"summary": "May I?"})
        except Parked:
            ctx.step("book anyway", lambda: 1)

    played = play(handler)
    assert isinstance(played.outcome.payload, TaskNeedHuman)
    assert played.host.steps == []


def test_it_refuses_a_question_that_no_row_can_hold():
    def handler(ctx):
        ctx.need_human(reason={"summary": "a\0b"})

    assert play(handler).error.code == Code.RESULT_INVALID


BROKEN = [
    pytest.param({"type": "nope"}, id="type"),
    pytest.param({"pattern": "("}, id="pattern"),
    pytest.param({"properties": {"a": []}}, id="properties"),
    pytest.param({"$ref": "#/$defs/gone"}, id="reference to nothing"),
    pytest.param({"$ref": "#"}, id="reference to itself"),
    pytest.param({"items": {"$ref": "#/title"}, "title": "x"}, id="to no schema"),
    pytest.param({"$ref": "https://example.com/schema"}, id="another document"),
    pytest.param({"anyOf": [{"$dynamicRef": "file:///etc/passwd"}]}, id="a file"),
    pytest.param({"$ref": "#/x", "x": {"$ref": "urn:y"}}, id="behind a reference"),
    pytest.param({"$defs": {"c": {"$id": "d"}}, "$ref": "#/$defs/c"}, id="documents"),
    pytest.param({"pattern": "^(?=a)"}, id="look-around"),
    pytest.param({"pattern": ".{1,999}.{1,999}"}, id="a huge pattern"),
    pytest.param({"allOf": [{"$ref": "#/allOf/0"}]}, id="a circle"),
    pytest.param({"title": "x" * 70_000}, id="a huge one"),
]


@pytest.mark.parametrize("schema", BROKEN)
def test_it_refuses_a_decision_that_nobody_could_make(schema):
    played = play(lambda ctx: ctx.need_human(decision_schema=schema))
    assert played.error.code == Code.SCHEMA_INVALID
    assert played.error.details["schema"] == "decision_schema"
    assert not played.outcome.retryable


@pytest.mark.parametrize("schema", BROKEN)
def test_it_refuses_a_field_that_nobody_could_supply(schema):
    field = MissingField(name="due", json_schema=schema)
    played = play(lambda ctx: ctx.need_info(["vendor", field], "Which?"))
    assert played.error.code == Code.SCHEMA_INVALID
    assert played.error.details["schema"] == "due"


def test_it_says_what_is_wrong_with_a_schema():
    schema = {"properties": {"a": {"minimum": "much"}}}
    error = play(lambda ctx: ctx.need_human(decision_schema=schema)).error
    assert error.details["problem"] == "$.properties.a.minimum: must be of type number"


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"if": True, "not": {}},
        {"enum": ("left", "right")},
        {"$defs": {"a": {"type": "string"}}, "items": {"$ref": "#/$defs/a"}},
        {"properties": {"child": {"$ref": "#"}}},
        {"$id": "https://a.example/b", "$defs": {"c": {}}, "$ref": "#/$defs/c"},
        {"properties": {"$ref": {"const": {"$ref": "https://example.com"}}}},
    ],
)
def test_it_asks_with_any_schema_that_answers_can_be_held_against(schema):
    played = play(lambda ctx: ctx.need_human(decision_schema=schema))
    assert isinstance(played.outcome.payload, TaskNeedHuman)


def test_it_does_not_look_at_the_schema_of_a_question_that_was_answered():
    """The handler has changed; its answer counts all the same."""
    field = MissingField(name="due", json_schema={"type": "nope"})
    outcome = resumed(
        lambda ctx: ctx.need_info([field], "Which?"),
        entry(0, "info", "due", {"due": "now"}),
    )
    assert outcome.payload.result == {"due": "now"}


def test_it_refuses_a_question_inside_a_step():
    def handler(ctx):
        ctx.step("outer", lambda: ctx.need_info(["a"], "b"))

    assert "cannot contain" in play(handler).outcome.trace
