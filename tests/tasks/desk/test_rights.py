"""G43: authority is checked when writing, per level."""

import pytest
from django.contrib.auth.models import User

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import desk
from tests.factories import operator
from tests.tasks.desk.conftest import APPROVE, shown

VERBS = [
    pytest.param(lambda s, user: desk.claim(s, user), id="claim"),
    pytest.param(lambda s, user: desk.release(s, user), id="release"),
    pytest.param(lambda s, user: desk.decide(s, APPROVE, user), id="decide"),
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("level", [1, 2, 3])
def test_it_takes_the_right_for_the_level_of_the_question(ask_human, verb, level):
    question = ask_human(level=level)
    wrong = operator("wrong", tuple({1, 2, 3} - {level}))
    with pytest.raises(SynapseError) as refused:
        verb(shown(question), wrong)
    assert refused.value.code is Code.FORBIDDEN
    assert refused.value.details == {"level": level}
    question.refresh_from_db()
    assert question.is_open
    assert question.claimed_by is None


@pytest.mark.parametrize("verb", VERBS)
def test_it_lets_somebody_with_just_that_right_act(ask_human, verb):
    question = ask_human(level=2)
    verb(shown(question), operator("right", (2,)))


def test_it_does_not_take_being_staff_for_a_right(ask_human):
    question = ask_human()
    staff = User.objects.create_user("staff", is_staff=True)
    assert not desk.may_decide(staff, question)


def test_it_lets_a_superuser_decide_everything(ask_human):
    root = User.objects.create_superuser("root")
    assert desk.may_decide(root, ask_human(level=3))


def test_it_lets_nobody_act_who_was_switched_off(ask_human, olga):
    question = ask_human()
    User.objects.update(is_active=False)
    with pytest.raises(SynapseError) as refused:
        desk.decide(shown(question), APPROVE, User.objects.get(pk=olga.pk))
    assert refused.value.code is Code.FORBIDDEN


def test_it_notices_a_right_that_was_taken_after_the_page_was_loaded(ask_human, olga):
    question = ask_human()
    desk.claim(shown(question), olga)
    olga.user_permissions.clear()
    with pytest.raises(SynapseError) as refused:
        desk.decide(shown(question), APPROVE, User.objects.get(pk=olga.pk))
    assert refused.value.code is Code.FORBIDDEN
