"""Out of office: a deputy decides for somebody, with no more rights than they have."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents_app.protocol.errors import Code
from tasks_app import desk
from tests.factories import operator
from tests.tasks.desk.conftest import APPROVE, away, code_of, rule, shown


@pytest.fixture
def dora(db):
    """The deputy: no rights of her own."""
    return operator("dora", levels=())


def refused(question, user, **how):
    return code_of(lambda: desk.decide(shown(question), APPROVE, user, **how))


def test_it_decides_in_the_name_of_the_absent(ask_human, olga, dora):
    """Decisions 17."""
    away(olga, dora)
    question = ask_human(level=2)
    desk.decide(shown(question), APPROVE, dora)
    question.refresh_from_db()
    assert question.closed_by == "desk:dora"
    assert question.answer["decided_by"] == {
        "user_id": "dora",
        "role": "supervisor",
        "on_behalf_of": "olga",
        "via": "deputy",
    }


def test_it_may_do_nothing_before_or_after(ask_human, olga, dora):
    question = ask_human()
    now, hour = timezone.now(), timedelta(hours=1)
    away(olga, dora, starts_at=now + hour, ends_at=now + 2 * hour)
    away(olga, dora, starts_at=now - 2 * hour, ends_at=now)
    assert refused(question, dora) is Code.FORBIDDEN


def test_it_has_only_the_levels_that_were_named(ask_human, olga, dora):
    away(olga, dora, level_2=False)
    assert refused(ask_human(level=2), dora) is Code.FORBIDDEN
    assert desk.levels_of(dora) == {1, 3}


def test_it_has_no_more_than_the_absent_has_g43(ask_human, dora):
    away(operator("lars", levels=(1,)), dora)
    assert refused(ask_human(level=2), dora) is Code.FORBIDDEN
    assert desk.levels_of(dora) == {1}


@pytest.mark.parametrize("loses", ["absent", "deputy"])
def test_it_ends_with_either_account_g43(ask_human, olga, dora, loses):
    away(olga, dora)
    question = ask_human()
    user = olga if loses == "absent" else dora
    user.is_active = False
    user.save()
    assert refused(question, dora) is Code.FORBIDDEN


def test_it_lends_nothing_that_was_lent(ask_human, olga, oscar, dora):
    """No deputies of deputies."""
    middle = operator("mia", levels=())
    away(olga, middle)
    away(middle, dora)
    assert refused(ask_human(), dora) is Code.FORBIDDEN


def test_it_lets_nobody_else_in(ask_human, olga, dora):
    away(olga, operator("someone", levels=()))
    assert refused(ask_human(), dora) is Code.FORBIDDEN


def test_it_decides_in_the_own_name_where_that_will_do(ask_human, olga, oscar):
    away(olga, oscar)
    question = ask_human()
    desk.decide(shown(question), APPROVE, oscar)
    question.refresh_from_db()
    assert question.answer["decided_by"] == {"user_id": "oscar", "role": "operator"}


def test_it_decides_for_whom_it_says(ask_human, olga, oscar):
    away(olga, oscar)
    question = ask_human()
    assert desk.stands_in_for(oscar, question) == [olga]
    desk.decide(shown(question), APPROVE, oscar, on_behalf_of=olga)
    question.refresh_from_db()
    assert question.answer["decided_by"]["on_behalf_of"] == "olga"


def test_it_speaks_for_nobody_who_is_there(ask_human, olga, oscar):
    assert refused(ask_human(), oscar, on_behalf_of=olga) is Code.FORBIDDEN


def test_it_is_not_for_levels_whose_rule_says_no(ask_human, olga, dora):
    rule(1, deputies=False)
    away(olga, dora)
    question = ask_human()
    assert refused(question, dora) is Code.FORBIDDEN
    assert desk.stands_in_for(dora, question) == []


def test_it_is_not_kept_out_by_what_the_absent_holds(ask_human, olga, oscar, dora):
    away(olga, dora)
    question = ask_human()
    desk.claim(shown(question), olga)
    assert refused(question, oscar) is Code.CLAIMED_BY_OTHER
    desk.claim(shown(question), dora)
    question.refresh_from_db()
    assert question.claimed_by == dora
    note = question.task.messages.filter(type="desk:claim").last()
    assert note.payload["held_by"] == "desk:olga"
    desk.decide(shown(question), APPROVE, dora)


def test_it_decides_at_once_what_the_absent_holds(ask_human, olga, oscar):
    away(olga, oscar)
    question = ask_human()
    desk.claim(shown(question), olga)
    desk.decide(shown(question), APPROVE, oscar)
    question.refresh_from_db()
    assert question.answer["decided_by"]["on_behalf_of"] == "olga"


def test_it_gives_up_or_hands_on_like_the_absent(ask_human, olga, oscar, dora):
    away(olga, dora)
    question = ask_human()
    desk.claim(shown(question), dora)
    desk.delegate(shown(question), oscar, "", dora)
    question.refresh_from_db()
    assert question.claimed_by == oscar


def test_it_is_no_longer_a_deputy_while_the_page_is_open_g43(ask_human, olga, dora):
    absence = away(olga, dora)
    question = ask_human()
    desk.claim(shown(question), dora)
    absence.delete()
    assert refused(question, dora) is Code.FORBIDDEN


def test_it_speaks_for_no_other_absent_than_it_says(ask_human, olga, oscar, dora):
    away(oscar, dora)
    question = ask_human()
    assert refused(question, dora, on_behalf_of=olga) is Code.FORBIDDEN
    away(olga, dora)
    desk.claim(shown(question), oscar)
    assert refused(question, dora, on_behalf_of=olga) is Code.CLAIMED_BY_OTHER
