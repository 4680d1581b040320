"""What people have to be told is written with the change that caused it."""

import pytest
from django.contrib.auth.models import Group

from tasks_app import ladder, ledger, lifecycle
from tasks_app.models import DeskEvent, Question
from tasks_app.transition import attempts
from tests.factories import NOW, POLICY, running, submitted
from tests.tasks.desk.conftest import rule
from tests.tasks.ledger.planning import begun


def test_it_says_that_a_question_was_asked(ask_human):
    question = ask_human(level=2)
    event = DeskEvent.objects.get()
    assert (event.kind, event.question) == ("asked", question)
    assert (event.level, event.from_level) == (2, 2)
    assert (event.by, event.groups, event.told_at) == (question.asked_by, [], None)
    assert (event.due_at, event.created_at) == (question.due_at, question.created_at)


def test_it_names_the_groups_of_the_rule(ask_human):
    team = Group.objects.create(name="team")
    rule(1).tell.add(team)
    ask_human()
    assert DeskEvent.objects.get().groups == [team.pk]


def test_it_says_nothing_of_what_callers_are_asked(ask_info):
    rule(1)
    assert ask_info("colour").ladder is None
    assert not DeskEvent.objects.exists()


def test_it_leaves_the_questions_of_a_peer_alone(db):
    """Its own people decide, by its own rules."""
    rule(1, minutes=1)
    task = running(requester="agent:elsewhere")
    words = attempts.TaskNeedHuman(task_id="t", escalation_level=1, reason={})
    asked = attempts.ask(task, words, position=0, now=NOW, policy=POLICY)
    assert ladder.under_rules(asked, 60) == asked


@pytest.mark.django_db
def test_it_says_nothing_when_the_question_was_not_written(caller, monkeypatch):
    """Somebody was faster: neither question nor event."""
    task = begun(submitted(caller))
    lifecycle.cancel(task.id, by="caller:1")
    words = attempts.TaskNeedHuman(task_id=str(task.id), escalation_level=1, reason={})
    now, policy = task.updated_at, lifecycle.policy()
    asked = attempts.ask(task, words, position=0, now=now, policy=policy)
    assert lifecycle.commit([asked]) == set()
    assert not Question.objects.exists()
    assert not DeskEvent.objects.exists()


def test_it_asks_anew_with_an_event_of_its_own(ask_human):
    """The agent replaces its question: the old one closes, the new one is told."""
    question = ask_human()
    task = ledger.load(question.task_id)
    words = attempts.TaskNeedHuman(task_id=str(task.id), escalation_level=3, reason={})
    now, policy = task.updated_at, lifecycle.policy()
    lifecycle.commit([attempts.ask(task, words, position=0, now=now, policy=policy)])
    assert [event.level for event in DeskEvent.objects.all()] == [1, 3]
    assert DeskEvent.objects.last().question != question
