"""approval: what is asked, and what comes back."""

import pytest

import agents_app.agents  # noqa: F401 - Declares the handlers.
from agents_app.protocol.errors import Code
from agents_app.testing import approve, modify, reject, run_handler, select

PLAN = {"percent": 30}
ASKED = {"summary": "30 % off?", "options": ["later"], "suggested_value": PLAN}


def play(*answers, **changes):
    return run_handler("approval", ASKED | changes, answers=answers)


def test_it_asks_what_it_was_told_to_ask():
    (question,) = play(level=3, details={"customer": "Inky"}).questions
    assert question.escalation_level == 3
    assert question.reason == {
        "summary": "30 % off?",
        "details": {"customer": "Inky"},
    }
    assert [option.id for option in question.options] == ["later"]
    assert question.suggested_value == PLAN


@pytest.mark.parametrize(
    ("answer", "approved", "value", "words"),
    [
        (approve(), True, PLAN, "Approved by tester."),
        (reject(), False, None, "Rejected by tester."),
        (modify({"percent": 9}), True, {"percent": 9}, "Approved with changes by"),
        (select("later"), True, PLAN, "“later” was chosen by tester."),
    ],
)
def test_it_returns_the_decision(answer, approved, value, words):
    played = play(answer)
    assert played.result["approved"] is approved
    assert played.result["value"] == value
    assert played.outcome.payload.summary.startswith(words)


def test_it_says_what_was_chosen_by_whom_and_why():
    result = play(select("later", "Not this year.")).result
    assert (result["action"], result["option"]) == ("select", "later")
    assert (result["comment"], result["decided_by"]) == ("Not this year.", "tester")


@pytest.mark.parametrize(
    "wrong",
    [
        {"summary": ""},
        {"level": 4},
        {"options": ["a", "a"]},
        {"options": ["reject"]},
        {"colour": "red"},
    ],
)
def test_it_refuses_a_question_that_makes_no_sense(wrong):
    assert play(**wrong).error.code == Code.PAYLOAD_INVALID
