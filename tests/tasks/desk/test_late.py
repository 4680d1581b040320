"""G42: an answer that comes after the deadline is no answer, sweep or not."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import DecidedBy, HumanDecision
from agents_app.protocol.states import TaskState
from tasks_app import desk, ledger, lifecycle, sweep
from tasks_app.desk import timeouts
from tasks_app.models import Question
from tests.factories import log, operator, row, set_row
from tests.tasks.desk.conftest import APPROVE, shown


def expire(question, by=timedelta(seconds=1)):
    """Its deadline was that long ago, and nobody has swept."""
    due_at = timezone.now() - by
    Question.objects.filter(pk=question.pk).update(due_at=due_at)
    type(question.task).objects.filter(pk=question.task_id).update(due_at=due_at)
    question.refresh_from_db()


def refused(verb):
    with pytest.raises(SynapseError) as caught:
        verb()
    assert caught.value.spec.http_status == 409
    return caught.value


@pytest.mark.parametrize("verb", ["claim", "decide", "release"])
def test_it_declines_instead_of_a_late_answer_g42(ask_human, olga, verb):
    question = ask_human()
    if verb == "release":
        desk.claim(shown(question), olga)
    expire(question)
    given = {"decide": (APPROVE, olga)}.get(verb, (olga,))
    error = refused(lambda: getattr(desk, verb)(shown(question), *given))
    assert error.code is Code.ALREADY_DECIDED
    assert error.details["by"] == "system:timeout"
    question.refresh_from_db()
    assert (question.state, question.closed_by) == ("expired", "system:timeout")
    assert question.task.state == TaskState.HUMAN_REJECTED
    assert log(ledger.load(question.task_id)).count("human_decision") == 1


def test_it_takes_a_decision_at_the_deadline_for_late_g42(ask_human, olga, monkeypatch):
    question = ask_human()
    monkeypatch.setattr(timezone, "now", lambda: question.due_at)
    error = refused(lambda: desk.decide(shown(question), APPROVE, olga))
    assert error.code is Code.ALREADY_DECIDED


def test_it_takes_a_decision_just_before_the_deadline(ask_human, olga, monkeypatch):
    question = ask_human()
    moment = question.due_at - timedelta(microseconds=1)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    desk.decide(shown(question), APPROVE, olga)
    assert row(ledger.load(question.task_id)).state == TaskState.HUMAN_APPROVED


def test_it_ends_nothing_for_who_may_not_decide(ask_human):
    question = ask_human(level=3)
    expire(question)
    with pytest.raises(SynapseError) as caught:
        desk.decide(shown(question), APPROVE, operator("ole", levels=(1,)))
    assert caught.value.code is Code.FORBIDDEN
    question.refresh_from_db()
    assert question.is_open


def test_it_declines_instead_of_a_late_decision_of_a_peer_g42(ask_human):
    question = ask_human()
    Question.objects.update(owner="peer")
    expire(question)
    words = HumanDecision(
        task_id=str(question.task_id),
        decision=APPROVE,
        decided_by=DecidedBy(user_id="pat", role="operator"),
    )
    task = ledger.load(question.task_id)
    error = refused(
        lambda: desk.change_by_peer(task, words, by="agent:a", now=timezone.now())
    )
    assert error.code is Code.ALREADY_DECIDED
    assert row(task).state == TaskState.HUMAN_REJECTED


def test_it_fails_the_task_instead_of_late_facts_g42(ask_info):
    question = ask_info("colour")
    expire(question)
    error = refused(
        lambda: desk.provide(question.task_id, {"colour": "red"}, by="caller:1")
    )
    assert (error.code, error.details["state"]) == (Code.TASK_ENDED, "failed")
    task = row(ledger.load(question.task_id))
    assert task.error["code"] == Code.INFO_TIMEOUT
    question.refresh_from_db()
    assert (question.state, question.provided) == ("expired", {})


def test_it_leaves_late_facts_for_a_peer_to_the_sweep_g42(ask_info):
    """The sweep also takes back what waits for the peer."""
    question = ask_info("colour")
    task = ledger.load(question.task_id)
    set_row(task, executor="agent:elsewhere")
    expire(question)
    error = refused(lambda: desk.provide(task.id, {"colour": "red"}, by="caller:1"))
    assert error.code is Code.NO_INFO_NEEDED
    assert Question.objects.get().provided == {}


def test_it_leaves_nothing_for_the_sweep_g42(ask_human, olga):
    question = ask_human()
    expire(question)
    refused(lambda: desk.decide(shown(question), APPROVE, olga))
    before = log(ledger.load(question.task_id))
    sweep.sweep()
    assert log(ledger.load(question.task_id)) == before


def test_it_tells_who_was_faster_than_the_deadline(ask_human, olga, monkeypatch):
    """Somebody's cancel ends it between the look and the timeout."""
    question = ask_human()
    expire(question)

    def cancelled(_late):
        lifecycle.cancel(question.task_id, by="caller:1")
        raise SynapseError(Code.TASK_ENDED)

    monkeypatch.setattr(timeouts, "decide_by_timeout", cancelled)
    error = refused(lambda: desk.decide(shown(question), APPROVE, olga))
    assert error.details["by"] == "caller:1"
