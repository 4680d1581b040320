"""Taking a decision in hand, and giving it back (decisions 14)."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from agents_app.protocol.times import rfc3339
from tasks_app import desk
from tasks_app.desk import Shown
from tests import factories
from tests.factories import log
from tests.tasks.desk.conftest import APPROVE, shown
from tests.tasks.racing import race


def test_it_shows_who_decides_since_when(ask_human, olga):
    question = ask_human()
    desk.claim(shown(question), olga)
    question.refresh_from_db()
    assert question.claimed_by == olga
    assert question.claimed_at is not None
    assert question.task.state == TaskState.HUMAN_DECIDING


@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(lambda s, user: desk.claim(s, user), id="claim"),
        pytest.param(lambda s, user: desk.release(s, user), id="release"),
        pytest.param(lambda s, user: desk.decide(s, APPROVE, user), id="decide"),
    ],
)
def test_it_tells_others_who_holds_it_and_since_when(ask_human, olga, oscar, verb):
    question = ask_human()
    desk.claim(shown(question), olga)
    question.refresh_from_db()
    with pytest.raises(SynapseError) as refused:
        verb(shown(question), oscar)
    assert refused.value.code is Code.CLAIMED_BY_OTHER
    assert refused.value.details == {"by": "olga", "at": rfc3339(question.claimed_at)}


def test_it_claims_once_however_often_one_clicks(ask_human, olga):
    question = ask_human()
    desk.claim(shown(question), olga)
    desk.claim(shown(question), olga)
    assert log(question.task).count("desk:claim") == 1


def test_it_gives_it_back_to_everybody(ask_human, olga, oscar):
    question = ask_human()
    desk.claim(shown(question), olga)
    desk.release(shown(question), olga)
    desk.release(shown(question), olga)
    question.refresh_from_db()
    assert (question.claimed_by, question.claimed_at) == (None, None)
    assert question.task.state == TaskState.NEED_HUMAN
    desk.claim(shown(question), oscar)


def test_it_keeps_the_deadline_of_a_claimed_question(ask_human, olga):
    """G42: taking it in hand buys no time."""
    question = ask_human()
    before = question.task.due_at
    desk.claim(shown(question), olga)
    question.task.refresh_from_db()
    assert question.task.due_at == before


@pytest.mark.django_db(transaction=True)
def test_it_lets_one_of_two_have_it(ask_human, olga, oscar):
    question = ask_human()
    results = race(
        lambda: desk.claim(shown(question), olga),
        lambda: desk.claim(shown(question), oscar),
    )
    [loser] = [result for result in results if result is not None]
    assert loser.code is Code.CLAIMED_BY_OTHER
    question.refresh_from_db()
    assert loser.details["by"] == question.claimed_by.get_username()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("verb", [desk.claim, desk.release])
def test_it_forgives_a_double_click(ask_human, olga, verb):
    """Both requests are on their way before either is done."""
    question = ask_human()
    if verb is desk.release:
        desk.claim(shown(question), olga)
    assert race(*[lambda: verb(shown(question), olga)] * 2) == [None, None]


@pytest.fixture
def rita(db):
    """May release what others hold, and decide nothing."""
    return factories.operator("rita", levels=(), rights=("release_question",))


def test_it_releases_what_an_absent_holder_has(ask_human, olga, oscar, rita):
    question = ask_human(level=3)
    desk.claim(shown(question), olga)
    desk.release(shown(question), rita)
    desk.decide(shown(question), APPROVE, oscar)
    question.refresh_from_db()
    assert question.closed_by == "desk:oscar"
    note = question.task.messages.get(type="desk:release")
    assert (note.sender, note.payload["held_by"]) == ("desk:rita", "desk:olga")


def test_it_refuses_that_right_to_those_who_do_not_have_it(ask_human, olga):
    question = ask_human(level=3)
    desk.claim(shown(question), olga)
    low = factories.operator("lars", levels=(1,))
    with pytest.raises(SynapseError) as refused:
        desk.release(shown(question), low)
    assert refused.value.code is Code.FORBIDDEN


def test_it_does_not_make_a_decider_of_who_may_release(ask_human, rita):
    question = ask_human()
    for verb in (desk.claim, lambda s, user: desk.decide(s, APPROVE, user)):
        with pytest.raises(SynapseError) as refused:
            verb(shown(question), rita)
        assert refused.value.code is Code.FORBIDDEN


def test_it_releases_nothing_that_is_free_or_decided(ask_human, olga, rita):
    question = ask_human()
    desk.release(shown(question), rita)
    assert "desk:release" not in log(question.task)
    desk.decide(shown(question), APPROVE, olga)
    with pytest.raises(SynapseError) as refused:
        desk.release(shown(question), rita)
    assert refused.value.code is Code.ALREADY_DECIDED


def test_it_releases_only_the_version_that_was_shown(ask_human, olga, rita):
    question = ask_human()
    desk.claim(shown(question), olga)
    with pytest.raises(SynapseError) as refused:
        desk.release(Shown(question_id=question.pk, version=9), rita)
    assert refused.value.code is Code.QUESTION_CHANGED


def test_it_lets_others_decide_when_the_holder_is_gone(ask_human, olga, oscar):
    question = ask_human()
    desk.claim(shown(question), olga)
    olga.delete()
    desk.decide(shown(question), APPROVE, oscar)
    question.refresh_from_db()
    assert question.closed_by == "desk:oscar"
