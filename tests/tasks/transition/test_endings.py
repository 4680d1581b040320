"""Complete, fail, cancel: what every end has in common, and what each one says."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import ErrorObject, TaskComplete
from agents_app.protocol.states import TERMINAL, TaskState
from tasks_app.transition import attempts, desk
from tests.factories import (
    CALLER_ID,
    POLICY,
    TASK_ID,
    after,
    running,
    snapshot,
    waiting,
)
from tests.tasks.transition.saying import generations, routes, said

DONE = TaskComplete(task_id=str(TASK_ID), result={"answer": 42}, summary="Found it.")
ERROR = ErrorObject.of(SynapseError(Code.HANDLER_FAILED, "No paper."))
REQUESTER = f"caller:{CALLER_ID}"


def complete(task):
    return attempts.complete(task, DONE, now=after(2.5), policy=POLICY)


def fail(task, **how):
    return attempts.fail(task, ERROR, now=after(2.5), policy=POLICY, **how)


def cancel(task, reason=""):
    return desk.cancel(task, by=REQUESTER, reason=reason, now=after(2.5), policy=POLICY)


ENDINGS = [complete, fail, cancel]


@pytest.mark.parametrize("end", ENDINGS)
def test_it_leaves_nothing_due(end):
    ended = end(running(eta=after(9))).after
    assert ended.state in TERMINAL
    assert ended.completed_at == ended.updated_at == after(2.5)
    left = (ended.eta, ended.ready_at, ended.queue_key, ended.due_at)
    assert left == (None, None, None, None)
    held = (ended.worker, ended.leased_until, ended.attempt_started_at)
    assert held == ("", None, None)


@pytest.mark.parametrize(
    ("end", "outcome"),
    [(complete, "completed"), (fail, "failed"), (cancel, "cancelled")],
)
def test_it_closes_the_attempt_and_counts_its_time(end, outcome):
    change = end(running(spent_ms=1000))
    assert change.ended is not None
    assert (change.ended.number, change.ended.outcome) == (1, outcome)
    assert change.ended.worker == "host:1"
    assert change.after.spent_ms == 3500


@pytest.mark.parametrize("end", ENDINGS)
def test_it_closes_no_attempt_where_none_ran(end):
    assert end(snapshot()).ended is None


@pytest.mark.parametrize("end", ENDINGS)
@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_it_cannot_end_twice(end, state):
    """G03: nothing leaves a terminal state."""
    with pytest.raises(SynapseError) as refused:
        end(snapshot(state=state))
    assert refused.value.code is Code.TASK_ENDED
    assert refused.value.details["state"] == state


@pytest.mark.parametrize("end", ENDINGS)
@pytest.mark.parametrize(
    "state", [TaskState.INFO_NEEDED, TaskState.NEED_HUMAN, TaskState.HUMAN_DECIDING]
)
def test_it_withdraws_the_open_question(end, state):
    closed = end(waiting(state)).closed
    assert closed is not None
    assert (closed.state, closed.at, closed.answer) == ("withdrawn", after(2.5), None)


def test_it_answers_a_completion_with_an_acknowledgement():
    """A2A 5.1."""
    change = complete(running())
    assert said(change) == ["task_complete", "task_ack"]
    assert generations(change) == [4, 5]
    assert routes(change) == [
        ("agent:synapse", REQUESTER),
        (REQUESTER, "agent:synapse"),
    ]
    assert change.messages[1].payload["acked_type"] == "p2p:task_complete"


def test_it_keeps_the_result_and_shows_a_hundred_percent():
    change = complete(running(progress=10))
    assert change.result == {"answer": 42}
    assert change.error is None
    assert (change.after.progress, change.after.status_message) == (100, "Found it.")


def test_it_confirms_a_task_that_is_complete_at_once():
    """G34: complete before confirm."""
    change = complete(snapshot())
    assert said(change) == ["task_confirm", "task_complete", "task_ack"]
    assert generations(change) == [2, 3, 4]


def test_it_does_not_complete_what_nobody_has_requested():
    with pytest.raises(SynapseError) as refused:
        complete(snapshot(state=TaskState.IDLE))
    assert refused.value.code is Code.ILLEGAL_TRANSITION


def test_it_keeps_the_error_and_its_trace_apart():
    """G60: the trace goes to the attempt, which no caller sees."""
    change = fail(running(), trace="Traceback …")
    assert said(change) == ["task_failed"]
    assert change.error == ERROR.to_json()
    assert change.ended is not None
    assert change.ended.trace == "Traceback …"
    assert "Traceback" not in str(change.messages) + str(change.after)


def test_it_fails_a_task_that_nobody_began_without_a_confirm():
    assert said(fail(snapshot())) == ["task_failed"]


def test_it_cancels_for_the_requester_and_acknowledges():
    """A2A 5.4."""
    change = cancel(running(), "Changed my mind.")
    assert said(change) == ["task_cancel", "task_ack"]
    assert routes(change) == [
        (REQUESTER, "agent:synapse"),
        ("agent:synapse", REQUESTER),
    ]
    assert change.messages[0].payload["reason"] == "Changed my mind."
    assert change.after.status_message == "Changed my mind."
    assert change.error is None
