"""Some decisions take several people: n approvals, one each."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action, Decision
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.models import JournalEntry, Vote
from tasks_app.sweep import sweep
from tests.factories import log, operator
from tests.tasks.desk.conftest import (
    APPROVE,
    REJECT,
    away,
    code_of,
    pass_time,
    rule,
    shown,
)
from tests.tasks.racing import race


@pytest.fixture
def two_of_us(ask_human):
    """Wants two approvals."""
    rule(1, approvals=2)
    return ask_human(options=["left", "right"], suggested_value={"amount": 1})


def say(text: str) -> Decision:
    return Decision(action=Action.APPROVE, comment=text)


def value(amount: object) -> Decision:
    return Decision(action=Action.MODIFY, value={"amount": amount})


def vote(question, decision, user, **how):
    return desk.decide(shown(question), decision, user, **how)


def test_it_waits_for_the_second_one(two_of_us, olga):
    outcome = vote(two_of_us, APPROVE, olga)
    assert (outcome.decided, outcome.tally.approvals) == (False, 1)
    two_of_us.refresh_from_db()
    assert two_of_us.is_open
    assert two_of_us.task.state == TaskState.NEED_HUMAN
    assert log(two_of_us.task)[-1] == "desk:vote"
    assert [v.decided_by["user_id"] for v in desk.votes_on(two_of_us)] == ["olga"]


def test_it_sends_one_decision_when_there_are_enough(two_of_us, olga, oscar):
    vote(two_of_us, say("Fine."), olga)
    assert vote(two_of_us, say("Yes."), oscar).decided
    two_of_us.refresh_from_db()
    answer = two_of_us.answer
    assert answer["decision"] == {
        "action": "approve",
        "comment": "olga: Fine.\noscar: Yes.",
    }
    assert answer["decided_by"] == {"user_id": "oscar", "role": "operator"}
    people = [ballot["decided_by"]["user_id"] for ballot in answer["votes"]]
    assert people == ["olga", "oscar"]
    assert log(two_of_us.task).count("human_decision") == 1
    assert JournalEntry.objects.get().value["decision"]["action"] == "approve"


def test_it_is_rejected_by_one(two_of_us, olga, oscar):
    vote(two_of_us, APPROVE, olga)
    assert vote(two_of_us, REJECT, oscar).decided
    two_of_us.refresh_from_db()
    assert two_of_us.task.state == TaskState.HUMAN_REJECTED


def test_it_takes_as_many_rejections_as_the_rule_wants(ask_human, olga, oscar):
    rule(1, rejections=2)
    question = ask_human()
    assert not vote(question, REJECT, olga).decided
    assert vote(question, REJECT, oscar).decided
    question.refresh_from_db()
    assert question.task.state == TaskState.HUMAN_REJECTED


def test_it_frees_the_question_for_the_others(two_of_us, olga, oscar):
    desk.claim(shown(two_of_us), olga)
    vote(two_of_us, APPROVE, olga)
    two_of_us.refresh_from_db()
    assert two_of_us.claimed_by is None
    desk.claim(shown(two_of_us), oscar)
    assert vote(two_of_us, APPROVE, oscar).decided


def test_it_counts_everybody_once(two_of_us, olga):
    """A double click is one vote; another answer is a mistake."""
    vote(two_of_us, APPROVE, olga)
    again = vote(two_of_us, APPROVE, olga)
    assert (again.decided, again.tally.approvals) == (False, 1)
    assert Vote.objects.count() == 1
    assert code_of(lambda: vote(two_of_us, REJECT, olga)) is Code.ALREADY_VOTED


def test_it_refuses_values_that_differ(two_of_us, olga, oscar):
    vote(two_of_us, value(5), olga)
    with pytest.raises(SynapseError) as refused:
        vote(two_of_us, value(6), oscar)
    assert refused.value.code is Code.VOTES_DIFFER
    assert refused.value.details == {
        "by": "olga",
        "decision": {"action": "modify", "value": {"amount": 5}},
    }
    assert vote(two_of_us, value(5.0), oscar).decided


@pytest.mark.parametrize(
    "other", [value(1), Decision(action=Action.SELECT, option_id="left")]
)
def test_it_refuses_another_kind_of_approval(two_of_us, olga, oscar, other):
    vote(two_of_us, APPROVE, olga)
    assert code_of(lambda: vote(two_of_us, other, oscar)) is Code.VOTES_DIFFER


def test_it_is_taken_back_while_nothing_is_decided(two_of_us, olga, oscar):
    vote(two_of_us, value(5), olga)
    desk.withdraw_vote(shown(two_of_us), olga)
    desk.withdraw_vote(shown(two_of_us), olga)
    assert log(two_of_us.task).count("desk:unvote") == 1
    assert desk.votes_on(two_of_us) == []
    assert not vote(two_of_us, value(6), oscar).decided
    assert vote(two_of_us, value(6), olga).decided


def test_it_is_not_taken_back_afterwards(two_of_us, olga, oscar):
    vote(two_of_us, APPROVE, olga)
    vote(two_of_us, APPROVE, oscar)
    assert code_of(lambda: desk.withdraw_vote(shown(two_of_us), olga)) is (
        Code.ALREADY_DECIDED
    )


def test_it_counts_nobody_who_lost_the_right_g43(two_of_us, olga, oscar):
    vote(two_of_us, APPROVE, olga)
    olga.user_permissions.clear()
    outcome = vote(two_of_us, APPROVE, oscar)
    assert (outcome.decided, outcome.tally.approvals) == (False, 1)


def test_it_counts_nobody_who_is_gone(two_of_us, olga, oscar):
    vote(two_of_us, APPROVE, olga)
    olga.delete()
    assert not vote(two_of_us, APPROVE, oscar).decided


def test_it_lets_nobody_vote_twice_as_a_deputy(two_of_us, olga, oscar):
    """Four eyes are not two: neither the deputy nor the absent has another vote."""
    away(olga, oscar)
    vote(two_of_us, APPROVE, oscar)
    assert code_of(lambda: vote(two_of_us, APPROVE, oscar, on_behalf_of=olga)) is (
        Code.ALREADY_VOTED
    )
    desk.withdraw_vote(shown(two_of_us), oscar)
    vote(two_of_us, APPROVE, oscar, on_behalf_of=olga)
    assert code_of(lambda: vote(two_of_us, APPROVE, olga)) is Code.ALREADY_VOTED
    assert vote(two_of_us, APPROVE, operator("paul")).decided


def test_it_begins_anew_at_the_next_level(ask_human, olga, oscar):
    rule(1, approvals=2, then="climb")
    rule(2, approvals=2)
    question = ask_human()
    vote(question, APPROVE, olga)
    pass_time(question, 61)
    sweep()
    question.refresh_from_db()
    assert (question.level, desk.votes_on(question)) == (2, [])
    assert not vote(question, APPROVE, oscar).decided
    assert vote(question, APPROVE, olga).decided


def test_it_rejects_when_too_few_came_g42(two_of_us, olga):
    vote(two_of_us, APPROVE, olga)
    pass_time(two_of_us, 61)
    sweep()
    two_of_us.refresh_from_db()
    assert two_of_us.closed_by == "system:timeout"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_it_is_decided_once_when_two_vote_at_once_g40(two_of_us, olga, oscar, _):
    results = race(
        lambda: vote(two_of_us, APPROVE, olga),
        lambda: vote(two_of_us, APPROVE, oscar),
    )
    assert sorted(outcome.decided for outcome in results) == [False, True]
    two_of_us.refresh_from_db()
    assert two_of_us.task.state == TaskState.HUMAN_APPROVED
    assert log(two_of_us.task).count("human_decision") == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_it_takes_one_of_two_values_at_once(two_of_us, olga, oscar, _):
    results = race(
        lambda: vote(two_of_us, value(1), olga),
        lambda: vote(two_of_us, value(2), oscar),
    )
    [loser] = [result for result in results if isinstance(result, SynapseError)]
    assert loser.code is Code.VOTES_DIFFER
    assert Vote.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_it_counts_a_double_click_once(two_of_us, olga):
    race(*[lambda: vote(two_of_us, APPROVE, olga)] * 2)
    assert Vote.objects.count() == 1
    two_of_us.refresh_from_db()
    assert two_of_us.is_open


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_it_is_withdrawn_or_counted(two_of_us, olga, oscar, _):
    vote(two_of_us, APPROVE, olga)
    withdrawn, voted = race(
        lambda: desk.withdraw_vote(shown(two_of_us), olga),
        lambda: vote(two_of_us, APPROVE, oscar),
    )
    if voted.decided:
        assert withdrawn.code is Code.ALREADY_DECIDED
    else:
        assert (withdrawn, len(desk.votes_on(two_of_us))) == (None, 1)
