"""G11, decisions 32: a cancel is honest in every state."""

import pytest

from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import LIVE, TERMINAL, TaskState
from tasks_app import desk, ledger, lifecycle, runner
from tasks_app.models import Question
from tests.factories import events, log, open_question, row, set_row, submitted
from tests.tasks.ledger.planning import begun, complete
from tests.tasks.racing import race

HOOK = {"callback_url": "https://example.com/hook"}


def cancel(task, reason=""):
    return lifecycle.cancel(task.id, by="caller:1", reason=reason)


def parked(caller, task_type):
    task = submitted(caller, task_type)
    runner.drain("default")
    return task


@pytest.mark.parametrize("state", sorted(LIVE))
def test_it_cancels_in_every_live_state(caller, state):
    task = submitted(caller)
    set_row(task, state=state)
    assert cancel(task).state is TaskState.CANCELLED
    assert row(task).completed_at is not None


def test_it_cancels_again_without_effect(caller):
    task = submitted(caller)
    first = cancel(task)
    assert cancel(task, "again") == first
    assert log(task) == ["task_request", "task_cancel", "task_ack"]


@pytest.mark.parametrize("state", sorted(TERMINAL - {TaskState.CANCELLED}))
def test_it_refuses_what_ended_otherwise(caller, state):
    task = submitted(caller)
    set_row(task, state=state)
    with pytest.raises(SynapseError) as refused:
        cancel(task)
    assert refused.value.code is Code.TASK_ENDED
    assert refused.value.details["state"] == state
    assert row(task).state == state


def test_it_says_that_there_is_no_such_task(db):
    with pytest.raises(SynapseError) as refused:
        lifecycle.cancel(ids.new_id(), by="caller:1")
    assert refused.value.code is Code.TASK_NOT_FOUND


def test_it_is_never_run_after_a_cancel(caller):
    task = submitted(caller)
    cancel(task)
    runner.drain("default")
    assert "task_status_update" not in log(task)


@pytest.mark.parametrize("task_type", ["probe_need_info", "probe_need_human"])
def test_it_closes_the_open_question(caller, task_type):
    task = parked(caller, task_type)
    cancel(task)
    question = Question.objects.get()
    assert (question.state, question.closed_by) == ("withdrawn", "caller:1")


def test_it_cancels_while_an_operator_decides(caller, olga):
    task = parked(caller, "probe_need_human")
    question = open_question(task)
    desk.claim(desk.Shown(question_id=question.pk, version=question.version), olga)
    cancel(task)
    assert row(task).state == TaskState.CANCELLED


def test_it_fences_the_attempt_that_runs(caller):
    task = begun(submitted(caller))
    cancel(task)
    assert row(task).attempts.get().outcome == "cancelled"
    assert not ledger.renew(task.id, task.attempt, task.due_at)


def test_it_tells_the_caller_once(caller):
    task = begun(submitted(caller, **HOOK))
    cancel(task, "Too slow.")
    cancel(task)
    assert events(task) == ["processing", "cancelled"]
    assert row(task).status_message == "Too slow."
    assert row(task).error is None


def test_it_lets_the_first_end_stand_when_complete_is_faster(caller):
    """G03."""
    task = begun(submitted(caller, **HOOK))
    ledger.commit([complete(task, {"answer": 42})])
    with pytest.raises(SynapseError):
        cancel(task)
    assert row(task).state == TaskState.COMPLETED
    assert events(task) == ["processing", "completed"]


def test_it_lets_the_first_end_stand_when_cancel_is_faster(caller):
    """G03."""
    task = begun(submitted(caller, **HOOK))
    late = complete(task, {"answer": 42})
    cancel(task)
    assert ledger.commit([late]) == set()
    assert row(task).result is None
    assert events(task) == ["processing", "cancelled"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_it_ends_once_when_cancel_and_complete_race(caller, _):
    """G03: either may win, never both."""
    task = begun(submitted(caller, **HOOK))
    cancelled, written = race(
        lambda: cancel(task), lambda: ledger.commit([complete(task)])
    )
    ended = row(task)
    assert (ended.state == TaskState.COMPLETED) == bool(written)
    assert (ended.state == TaskState.CANCELLED) == (
        not isinstance(cancelled, SynapseError)
    )
    assert ended.deliveries.filter(terminal=True).count() == 1
    ends = [kind for kind in log(task) if kind in ("task_complete", "task_cancel")]
    assert len(ends) == 1
