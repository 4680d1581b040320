"""Separation of duty: who works for a caller does not decide what it submitted."""

import pytest
from django.contrib.auth.models import User

from agents_app.protocol.errors import Code
from tasks_app import desk
from tasks_app.models import CallerStaff, Task
from tests.factories import operator
from tests.tasks.desk.conftest import APPROVE, REJECT, away, code_of, rule, shown


@pytest.fixture
def question(ask_human, caller, olga):
    """Olga works for its caller."""
    rule(1, separate=True)
    CallerStaff.objects.create(caller=caller, user=olga)
    return ask_human()


VERBS = [
    pytest.param(lambda s, user: desk.claim(s, user), id="claim"),
    pytest.param(lambda s, user: desk.decide(s, APPROVE, user), id="approve"),
    pytest.param(lambda s, user: desk.decide(s, REJECT, user), id="reject"),
    pytest.param(lambda s, user: desk.escalate(s, "Up.", user), id="escalate"),
    pytest.param(lambda s, user: desk.delegate(s, user, "", user), id="delegate"),
]


@pytest.mark.parametrize("verb", VERBS)
def test_it_keeps_own_staff_out_g43(question, olga, verb):
    assert code_of(lambda: verb(shown(question), olga)) is Code.OWN_STAFF
    assert not desk.may_decide(olga, question)


def test_it_keeps_superusers_out_who_are_own_staff(question, caller):
    root = User.objects.create_superuser("root")
    CallerStaff.objects.create(caller=caller, user=root)
    assert not desk.may_decide(root, question)


def test_it_lets_others_decide(question, oscar):
    desk.decide(shown(question), APPROVE, oscar)


def test_it_is_off_without_a_rule(ask_human, caller, olga):
    CallerStaff.objects.create(caller=caller, user=olga)
    desk.decide(shown(ask_human()), APPROVE, olga)


def test_it_is_about_the_caller_that_submitted(ask_human, other_caller, olga):
    rule(1, separate=True)
    CallerStaff.objects.create(caller=other_caller, user=olga)
    desk.decide(shown(ask_human()), APPROVE, olga)


def test_it_knows_no_staff_of_an_agent(question, olga):
    Task.objects.filter(pk=question.task_id).update(caller=None)
    question.task.refresh_from_db()
    assert desk.may_decide(olga, question)


def test_it_cannot_be_got_round_by_a_deputy(question, olga, oscar):
    """Neither in the right of own staff, nor by them in another's."""
    dora = operator("dora", levels=())
    away(olga, dora)
    away(oscar, olga)
    assert not desk.may_decide(dora, question)
    assert not desk.may_decide(olga, question)


def test_it_keeps_a_deputy_out_who_is_own_staff(question, caller, oscar):
    dora = operator("dora", levels=())
    CallerStaff.objects.create(caller=caller, user=dora)
    away(oscar, dora)
    assert code_of(lambda: desk.claim(shown(question), dora)) is Code.OWN_STAFF


def test_it_cannot_be_got_round_by_delegating(question, olga, oscar):
    assert code_of(lambda: desk.delegate(shown(question), olga, "", oscar)) is (
        Code.NOT_ELIGIBLE
    )
    assert list(desk.eligible(question)) == [oscar]


def test_it_does_not_count_votes_of_who_became_own_staff(ask_human, caller, oscar):
    rule(1, separate=True, approvals=2)
    question = ask_human()
    desk.decide(shown(question), APPROVE, oscar)
    CallerStaff.objects.create(caller=caller, user=oscar)
    assert not desk.decide(shown(question), APPROVE, operator("paul")).decided
