"""An operator gives a question to the next level, and says why."""

from datetime import timedelta

import pytest

from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.desk import timeouts
from tasks_app.models import DeskEvent
from tasks_app.sweep import sweep
from tests.factories import log, operator, row
from tests.tasks.desk.conftest import (
    APPROVE,
    climbing,
    code_of,
    pass_time,
    rule,
    shown,
)
from tests.tasks.racing import race


@pytest.fixture
def lars(db):
    """Level 1 only."""
    return operator("lars", levels=(1,))


def test_it_goes_to_the_next_level_with_the_reason(ask_human, lars):
    question = ask_human()
    desk.claim(shown(question), lars)
    desk.escalate(shown(question), " Too much for me. ", lars)
    question.refresh_from_db()
    assert (question.level, question.claimed_by) == (2, None)
    assert question.task.state == TaskState.NEED_HUMAN
    note = question.task.messages.get(type="desk:escalate")
    assert (note.sender, note.payload["comment"]) == ("desk:lars", "Too much for me.")


def test_it_is_told_to_the_groups_of_that_level(ask_human, lars):
    from_above = rule(2)
    team = from_above.tell.create(name="supervisors")
    desk.escalate(shown(ask_human()), "Look.", lars)
    event = DeskEvent.objects.get(kind="escalated")
    assert (event.from_level, event.level) == (1, 2)
    assert (event.by, event.comment, event.groups) == ("desk:lars", "Look.", [team.pk])


def test_it_gives_the_next_level_its_own_time(ask_human, lars):
    climbing()
    question = ask_human()
    pass_time(question, 59)
    desk.escalate(shown(question), "Look.", lars)
    question.refresh_from_db()
    [climb, end] = desk.prospects(question)
    assert climb.moment - question.level_since == timedelta(hours=1)
    assert end.moment == question.due_at == question.level_since + timedelta(hours=2)
    assert row(question.task).due_at == climb.moment


def test_it_gives_no_more_time_than_the_agent_has_g42(ask_human, lars):
    climbing()
    question = ask_human(answer_within=timedelta(minutes=90))
    before = question.due_at
    pass_time(question, 40)
    desk.escalate(shown(question), "Look.", lars)
    question.refresh_from_db()
    assert question.due_at == before - timedelta(minutes=40)


def test_it_ends_by_a_rejection_without_any_rule_g42(ask_human, lars, settings):
    question = ask_human()
    desk.escalate(shown(question), "Look.", lars)
    pass_time(question, settings.SYNAPSE_ANSWER_SECONDS / 60 + 1)
    sweep()
    question.refresh_from_db()
    assert (question.level, question.closed_by) == (2, "system:timeout")


def test_it_is_not_ended_by_who_saw_it_before_g42(ask_human, lars):
    """A sweep, or somebody who was late, read it when its time was over."""
    question = ask_human()
    desk.escalate(shown(question), "Look.", lars)
    assert code_of(lambda: desk.decide_by_timeout(question)) is Code.QUESTION_CHANGED
    assert timeouts.too_late(question).code is Code.QUESTION_CHANGED
    question.refresh_from_db()
    assert question.is_open


@pytest.mark.parametrize("comment", ["", " \n", "x" * 10_001])
def test_it_wants_a_reason_that_can_be_read(ask_human, lars, comment):
    question = ask_human()
    refused = code_of(lambda: desk.escalate(shown(question), comment, lars))
    assert refused is Code.DECISION_INVALID


def test_it_has_no_level_above_the_top(ask_human, olga):
    question = ask_human(level=3)
    assert code_of(lambda: desk.escalate(shown(question), "Up.", olga)) is (
        Code.TOP_LEVEL
    )


def test_it_is_not_for_those_without_the_right_g43(ask_human, lars):
    question = ask_human(level=2)
    assert code_of(lambda: desk.escalate(shown(question), "Up.", lars)) is (
        Code.FORBIDDEN
    )


def test_it_takes_nothing_out_of_somebodys_hands(ask_human, lars, olga):
    question = ask_human()
    desk.claim(shown(question), olga)
    assert code_of(lambda: desk.escalate(shown(question), "Up.", lars)) is (
        Code.CLAIMED_BY_OTHER
    )


@pytest.mark.django_db(transaction=True)
def test_it_goes_up_once_by_two_clicks_of_who_may_do_no_more(ask_human, lars):
    question = ask_human()
    results = race(*[lambda: desk.escalate(shown(question), "Up.", lars)] * 2)
    [loser] = [result for result in results if result is not None]
    assert loser.code is Code.FORBIDDEN
    assert log(question.task).count("desk:escalate") == 1


@pytest.mark.django_db(transaction=True)
def test_it_is_decided_or_goes_up(ask_human, lars, olga):
    question = ask_human()
    race(
        lambda: desk.escalate(shown(question), "Up.", lars),
        lambda: desk.decide(shown(question), APPROVE, olga),
    )
    question.refresh_from_db()
    said = log(question.task)
    assert not question.is_open  # Olga may decide both levels.
    assert question.answer["decided_by"]["role"] == (
        "supervisor" if "desk:escalate" in said else "operator"
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(2))
def test_it_is_moved_by_hand_or_by_the_clock(ask_human, lars, _):
    """Each level gets its time, whoever moved it; never two levels at once."""
    climbing()
    question = ask_human()
    pass_time(question, 61)
    race(sweep, lambda: desk.escalate(shown(question), "Up.", lars))
    question.refresh_from_db()
    assert question.level == 2
    moves = [kind for kind in log(question.task) if kind.startswith("desk:")]
    assert len(moves) == 1
