"""Progress of a live attempt (A2A 6.4, G13)."""

from agents_app.protocol.states import TaskState
from tasks_app.transition import attempts
from tests.factories import POLICY, after, running
from tests.tasks.transition.saying import said


def report(task, progress, message="", eta=None, at=1.0):
    return attempts.report(
        task, progress=progress, message=message, eta=eta, now=after(at), policy=POLICY
    )


def test_it_shows_progress_message_and_eta():
    change = report(running(), 40, "Reading", eta=after(30))
    assert said(change) == ["task_status_update"]
    assert change.messages[0].payload == {
        "task_id": str(change.before.id),
        "status": "executing",
        "progress": 40,
        "message": "Reading",
        "eta": "2024-05-31T12:00:30.000Z",
    }
    shown = change.after
    assert (shown.progress, shown.status_message, shown.eta) == (
        40,
        "Reading",
        after(30),
    )


def test_it_logs_a_number_that_goes_back_but_does_not_show_it():
    """G13."""
    change = report(running(progress=70), 30)
    assert change.messages[0].payload["progress"] == 30
    assert change.after.progress == 70


def test_it_keeps_the_last_message_when_there_is_no_new_one():
    assert report(running(status_message="Reading"), 50).after.status_message == (
        "Reading"
    )


def test_it_shows_less_than_all_until_the_task_is_completed():
    """Decisions 40; the log keeps what was said."""
    change = report(running(), 100, "Nearly there")
    assert change.messages[0].payload["progress"] == 100
    assert change.after.progress == 99
    assert report(running(progress=99), 98).after.progress == 99


def test_it_keeps_the_last_eta_when_there_is_no_new_one():
    assert report(running(eta=after(30)), 50).after.eta == after(30)
    assert report(running(eta=after(30)), 50, eta=after(40)).after.eta == after(40)


def test_it_renews_the_lease():
    """Whoever reports is alive."""
    assert report(running(), 10, at=20).after.leased_until == after(80)


def test_it_keeps_the_deadline_and_the_attempt():
    change = report(running(), 10, at=20)
    assert change.after.due_at == running().due_at
    assert change.after.attempt == 1
    assert change.after.state is TaskState.EXECUTING
    assert change.ended is None
