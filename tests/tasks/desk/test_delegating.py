"""A holder gives a question to somebody who may decide it."""

import pytest

from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.models import DeskEvent
from tests.factories import log, operator
from tests.tasks.desk.conftest import APPROVE, code_of, shown
from tests.tasks.racing import race


def test_it_is_held_by_who_got_it(ask_human, olga, oscar):
    question = ask_human()
    desk.claim(shown(question), olga)
    desk.delegate(shown(question), oscar, "You know them.", olga)
    question.refresh_from_db()
    assert question.claimed_by == oscar
    assert question.task.state == TaskState.HUMAN_DECIDING
    note = question.task.messages.get(type="desk:delegate")
    assert note.sender == "desk:olga"
    assert (note.payload["to"], note.payload["held_by"]) == ("desk:oscar", "desk:olga")
    assert code_of(lambda: desk.decide(shown(question), APPROVE, olga)) is (
        Code.CLAIMED_BY_OTHER
    )


def test_it_needs_no_claim_first(ask_human, olga, oscar):
    question = ask_human()
    desk.delegate(shown(question), oscar, "", olga)
    question.refresh_from_db()
    assert question.claimed_by == oscar
    assert question.task.state == TaskState.HUMAN_DECIDING


def test_it_is_told_to_who_got_it(ask_human, olga, oscar):
    question = ask_human()
    desk.delegate(shown(question), oscar, "Please.", olga)
    event = DeskEvent.objects.get(kind="delegated")
    assert (event.to_user, event.by, event.comment) == (oscar, "desk:olga", "Please.")


def test_it_says_that_the_decision_was_delegated(ask_human, olga, oscar):
    """Decisions 17: in their own name, and how they came to it."""
    question = ask_human()
    desk.delegate(shown(question), oscar, "", olga)
    desk.decide(shown(question), APPROVE, oscar)
    question.refresh_from_db()
    assert question.answer["decided_by"] == {
        "user_id": "oscar",
        "role": "operator",
        "via": "delegation",
    }


def test_it_is_a_claim_like_any_other_after_a_release(ask_human, olga, oscar):
    question = ask_human()
    desk.delegate(shown(question), oscar, "", olga)
    desk.release(shown(question), oscar)
    desk.claim(shown(question), oscar)
    desk.decide(shown(question), APPROVE, oscar)
    question.refresh_from_db()
    assert "via" not in question.answer["decided_by"]


def test_it_goes_to_nobody_without_the_right_g43(ask_human, olga):
    question = ask_human(level=2)
    low = operator("lars", levels=(1,))
    assert code_of(lambda: desk.delegate(shown(question), low, "", olga)) is (
        Code.NOT_ELIGIBLE
    )


def test_it_goes_to_nobody_who_was_switched_off(ask_human, olga, oscar):
    question = ask_human()
    oscar.is_active = False
    oscar.save()
    assert code_of(lambda: desk.delegate(shown(question), oscar, "", olga)) is (
        Code.NOT_ELIGIBLE
    )


def test_it_goes_to_nobody_who_has_it(ask_human, olga):
    question = ask_human()
    desk.claim(shown(question), olga)
    assert code_of(lambda: desk.delegate(shown(question), olga, "", olga)) is (
        Code.NOT_ELIGIBLE
    )


def test_it_gives_away_only_what_one_may_decide_g43(ask_human, oscar):
    question = ask_human(level=2)
    low = operator("lars", levels=(1,))
    assert code_of(lambda: desk.delegate(shown(question), oscar, "", low)) is (
        Code.FORBIDDEN
    )


def test_it_offers_those_who_may_decide(ask_human, olga, oscar):
    operator("lars", levels=(1,))
    assert list(desk.eligible(ask_human(level=2))) == [olga, oscar]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_it_is_delegated_or_decided(ask_human, olga, oscar, _):
    question = ask_human()
    desk.claim(shown(question), olga)
    given, decided = race(
        lambda: desk.delegate(shown(question), oscar, "", olga),
        lambda: desk.decide(shown(question), APPROVE, olga),
    )
    question.refresh_from_db()
    if question.is_open:
        assert (question.claimed_by, decided.code) == (oscar, Code.CLAIMED_BY_OTHER)
    else:
        assert given.code is Code.ALREADY_DECIDED
        assert "desk:delegate" not in log(question.task)
