"""An attempt that died, and one that never began: both go back into line."""

from agents_app.protocol.states import TaskState
from tasks_app.policy import queue_key
from tasks_app.transition import attempts
from tests.factories import POLICY, after, running
from tests.tasks.transition.saying import said


def try_again(task, delay_s=5.0, at=2.0, outcome="retry"):
    return attempts.try_again(
        task,
        reason="Attempt 1 failed.",
        delay_s=delay_s,
        outcome=outcome,
        now=after(at),
        policy=POLICY,
        trace="Traceback …",
    )


def hand_back(task, at=2.0):
    return attempts.hand_back(task, now=after(at), policy=POLICY)


def test_it_puts_the_next_try_into_line_after_the_delay():
    change = try_again(running())
    assert change.after.ready_at == after(7)
    assert change.after.queue_key == queue_key(after(7), "normal")
    assert change.after.due_at == after(607)
    assert change.after.state is TaskState.EXECUTING


def test_it_counts_the_failure_and_says_so():
    change = try_again(running(failures=1))
    assert change.after.failures == 2
    assert said(change) == ["task_status_update"]
    assert change.messages[0].payload["message"] == "Attempt 1 failed."
    assert change.after.status_message == "Attempt 1 failed."


def test_it_ends_the_attempt_and_keeps_its_trace():
    change = try_again(running())
    assert change.ended is not None
    assert (change.ended.outcome, change.ended.trace) == ("retry", "Traceback …")
    assert (change.after.leased_until, change.after.worker) == (None, "")
    assert change.after.attempt == 1


def test_it_counts_the_time_that_a_failed_attempt_ran():
    assert try_again(running(spent_ms=500), at=2).after.spent_ms == 2500


def test_it_does_not_count_the_silence_of_a_lost_attempt_as_run_time():
    """G05: it was last heard of at 12:00:10, and the lease was its grace."""
    task = running(leased_until=after(70))
    change = try_again(task, outcome="lost", at=75)
    assert change.after.spent_ms == 10_000


def test_it_does_not_count_the_time_that_a_claimed_task_waited():
    assert hand_back(running(spent_ms=500), at=2).after.spent_ms == 500


def test_it_hands_back_without_counting_a_failure():
    change = hand_back(running(failures=1))
    assert change.after.failures == 1
    assert change.after.ready_at == after(2)
    assert change.ended is not None
    assert change.ended.outcome == "returned"
    assert said(change) == ["task_status_update"]
