"""A worker takes a task: the first attempt, and the next ones."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TERMINAL, TaskState
from tasks_app.transition import attempts
from tests.factories import CALLER_ID, NOW, POLICY, after, running, snapshot
from tests.tasks.transition.saying import generations, routes, said


def begin(task, at=NOW):
    return attempts.begin(task, worker="host:1", now=at, policy=POLICY)


def test_it_confirms_a_pending_task_before_it_says_executing():
    """Decisions 6: whoever works on a task has accepted it."""
    change = begin(snapshot())
    assert said(change) == ["task_confirm", "task_status_update"]
    assert generations(change) == [2, 3]
    assert change.after.generation == 3
    assert change.after.state is TaskState.EXECUTING


def test_it_speaks_as_the_executor_to_the_requester():
    change = begin(snapshot())
    assert set(routes(change)) == {("agent:synapse", f"caller:{CALLER_ID}")}


def test_it_confirms_only_once():
    change = begin(snapshot(state=TaskState.INFO_PROVIDED, generation=7, attempt=1))
    assert said(change) == ["task_status_update"]
    assert generations(change) == [8]


def test_it_takes_the_lease_and_leaves_the_queue():
    after_ = begin(snapshot(), at=after(5)).after
    assert (after_.attempt, after_.worker) == (1, "host:1")
    assert after_.leased_until == after(65)
    assert after_.attempt_started_at == after(5)
    assert (after_.ready_at, after_.queue_key) == (None, None)


def test_it_is_due_when_the_run_time_that_is_left_is_over():
    task = snapshot(max_duration_s=100, spent_ms=30_500)
    assert begin(task).after.due_at == after(69.5)


def test_it_keeps_the_progress_that_was_shown_before():
    change = begin(snapshot(state=TaskState.HUMAN_APPROVED, progress=40, attempt=1))
    assert change.messages[-1].payload["progress"] == 40
    assert change.after.progress == 40


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_it_does_not_begin_what_has_ended(state):
    """G04."""
    with pytest.raises(SynapseError) as refused:
        begin(snapshot(state=state))
    assert refused.value.code is Code.TASK_ENDED


def test_it_does_not_begin_what_nobody_has_requested():
    """G04: `idle` is before the request."""
    with pytest.raises(SynapseError) as refused:
        begin(snapshot(state=TaskState.IDLE))
    assert refused.value.code is Code.ILLEGAL_TRANSITION


def test_it_numbers_attempts():
    assert begin(running(attempt=4)).after.attempt == 5
