"""The clock takes a question up the ladder, and never approves (decisions 15; G42)."""

from datetime import timedelta

import pytest

from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.desk import Shown
from tasks_app.models import DeskEvent, Question, RungPolicy
from tasks_app.sweep import sweep
from tests.factories import log, operator
from tests.tasks.desk.conftest import APPROVE, climbing, code_of, pass_time, rule, shown
from tests.tasks.racing import race


def events(question: Question) -> list[str]:
    return list(question.events.values_list("kind", flat=True))


def test_it_keeps_todays_deadline_where_there_is_no_rule(ask_human, settings):
    question = ask_human()
    wait = timedelta(seconds=settings.SYNAPSE_ANSWER_SECONDS)
    assert question.due_at - question.created_at == wait
    assert question.task.due_at == question.due_at
    assert [p.what for p in desk.prospects(question)] == ["reject"]


def test_it_plans_the_whole_way_when_it_is_asked(ask_human):
    climbing()
    question = ask_human()
    hours = [
        (p.moment - question.created_at) / timedelta(hours=1)
        for p in desk.prospects(question)
    ]
    assert hours == [1, 2, 3]
    assert question.task.due_at == question.created_at + timedelta(hours=1)
    assert question.due_at == question.created_at + timedelta(hours=3)


def test_it_never_waits_longer_than_the_agent_g42(ask_human):
    climbing()
    question = ask_human(answer_within=timedelta(minutes=30))
    assert question.due_at == question.created_at + timedelta(minutes=30)
    assert question.task.due_at < question.due_at  # Word that it is due soon.


def test_it_climbs_when_its_time_is_over(ask_human):
    climbing()
    question = ask_human()
    due_at = question.due_at - timedelta(minutes=61)
    pass_time(question, 61)
    sweep()
    question.refresh_from_db()
    assert (question.level, question.due_at) == (2, due_at)
    assert question.task.state == TaskState.NEED_HUMAN
    note = question.task.messages.get(type="desk:climb")
    assert note.sender == "system:ladder"
    assert (note.payload["from_level"], note.payload["level"]) == (1, 2)


def test_it_keeps_what_was_foretold_when_a_sweep_is_late(ask_human):
    climbing()
    question = ask_human()
    pass_time(question, 75)
    before = desk.prospects(question)
    sweep()
    question.refresh_from_db()
    assert desk.prospects(question) == before[1:]


def test_it_ends_at_the_top_by_a_rejection_g42(ask_human):
    climbing()
    question = ask_human()
    for _ in range(2):
        pass_time(question, 60)
        sweep()
    pass_time(question, 60)
    sweep()
    question.refresh_from_db()
    assert (question.state, question.closed_by) == ("expired", "system:timeout")
    assert question.answer["decision"]["action"] == "reject"
    assert log(question.task).count("desk:climb") == 2


def test_it_ends_what_the_sweep_missed_for_long_g42(ask_human):
    climbing()
    question = ask_human()
    pass_time(question, 24 * 60)
    sweep()
    question.refresh_from_db()
    assert question.closed_by == "system:timeout"


def test_it_frees_what_a_holder_may_not_decide_above(ask_human):
    climbing()
    question = ask_human()
    low = operator("lars", levels=(1,))
    desk.claim(shown(question), low)
    pass_time(question, 61)
    sweep()
    question.refresh_from_db()
    assert (question.claimed_by, question.task.state) == (None, TaskState.NEED_HUMAN)


def test_it_leaves_it_to_a_holder_who_may_decide_above(ask_human, olga):
    climbing()
    question = ask_human()
    desk.claim(shown(question), olga)
    page = shown(question)
    pass_time(question, 61)
    sweep()
    question.refresh_from_db()
    assert (question.claimed_by, question.level) == (olga, 2)
    assert question.task.state == TaskState.HUMAN_DECIDING
    desk.decide(page, APPROVE, olga)
    question.refresh_from_db()
    assert question.answer["decided_by"]["role"] == "supervisor"


def test_it_refuses_the_page_of_who_may_not_decide_above(ask_human):
    climbing()
    question = ask_human()
    low = operator("lars", levels=(1,))
    page = Shown(question_id=question.pk, version=question.version, level=1)
    pass_time(question, 61)
    sweep()
    assert code_of(lambda: desk.decide(page, APPROVE, low)) is Code.QUESTION_CLIMBED
    old = shown(question)
    assert code_of(lambda: desk.decide(old, APPROVE, low)) is Code.FORBIDDEN


def test_it_says_that_it_ended_rather_than_that_it_climbed(ask_human, olga):
    climbing()
    question = ask_human()
    page = Shown(question_id=question.pk, version=question.version, level=1)
    pass_time(question, 61)
    sweep()
    desk.decide(shown(question), APPROVE, olga)
    low = operator("lars", levels=(1,))
    assert code_of(lambda: desk.decide(page, APPROVE, low)) is Code.ALREADY_DECIDED


def test_it_lets_who_may_decide_until_it_has_climbed(ask_human):
    climbing()
    question = ask_human()
    pass_time(question, 61)
    assert desk.decide(shown(question), APPROVE, operator("lars", levels=(1,))).decided


def test_it_reminds_and_waits_on(ask_human):
    rule(1, reminders=1)
    question = ask_human()
    pass_time(question, 61)
    sweep()
    sweep()
    question.refresh_from_db()
    assert (question.level, question.is_open) == (1, True)
    assert events(question) == ["asked", "reminded"]


def test_it_says_once_that_it_is_due_soon(ask_human):
    rule(1)
    question = ask_human()
    pass_time(question, 46)
    sweep()
    sweep()
    assert events(question) == ["asked", "due_soon"]
    question.task.refresh_from_db()
    question.refresh_from_db()
    assert question.task.due_at == question.due_at


def test_it_keeps_the_rules_that_it_was_asked_under(ask_human):
    climbing()
    question = ask_human()
    RungPolicy.objects.all().delete()
    pass_time(question, 61)
    sweep()
    question.refresh_from_db()
    assert question.level == 2


def test_it_climbs_in_the_name_of_the_clock_for_the_groups_above(ask_human, db):
    climbing()
    question = ask_human()
    pass_time(question, 61)
    sweep()
    event = DeskEvent.objects.get(kind="climbed")
    assert (event.level, event.from_level, event.by) == (2, 1, "system:ladder")
    assert (event.told_at, event.groups) == (None, [])


@pytest.mark.django_db(transaction=True)
def test_it_climbs_once_when_two_sweep_at_once_g75(ask_human):
    climbing()
    question = ask_human()
    pass_time(question, 61)
    assert race(sweep, sweep) == [None, None]
    question.refresh_from_db()
    assert question.level == 2
    assert log(question.task).count("desk:climb") == 1
    assert events(question) == ["asked", "climbed"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_it_climbs_or_is_decided_but_never_half_of_both(ask_human, _):
    climbing()
    question = ask_human()
    low = operator("lars", levels=(1,))
    pass_time(question, 61)
    _, decided = race(sweep, lambda: desk.decide(shown(question), APPROVE, low))
    question.refresh_from_db()
    if question.is_open:
        assert (question.level, decided.code) == (2, Code.FORBIDDEN)
    else:
        assert (question.level, question.answer["decided_by"]["role"]) == (
            1,
            "operator",
        )
        assert events(question) == ["asked"]
