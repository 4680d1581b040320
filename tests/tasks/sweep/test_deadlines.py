"""G10: no state without a deadline, each with its own code."""

from datetime import timedelta

from django.utils import timezone

from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.models import Question
from tasks_app.sweep import sweep
from tests.factories import events, row, set_row, submitted
from tests.tasks.ledger.planning import begun
from tests.tasks.sweep.aging import HOOK, ago, overdue, parked


def test_it_fails_what_nobody_began(caller, settings):
    task = submitted(caller, **HOOK)
    overdue(task)
    sweep()
    assert row(task).error["code"] == Code.NOT_STARTED
    details = {"max_queue_s": settings.SYNAPSE_MAX_QUEUE_SECONDS}
    assert row(task).error["details"] == details
    assert events(task) == ["failed"]


def test_it_fails_an_answered_task_that_nobody_resumed(caller):
    task = parked(caller, "probe_need_info")
    desk.provide(task.id, {"colour": "red"}, by="caller:1")
    overdue(task)
    sweep()
    assert row(task).error["code"] == Code.NOT_STARTED


def test_it_ends_a_run_that_is_alive_and_too_long(caller):
    """Its handler does not listen, but its keeper renews the lease."""
    task = begun(submitted(caller))
    set_row(task, due_at=ago(1))
    sweep()
    assert row(task).error["code"] == Code.MAX_DURATION
    assert row(task).attempts.get().outcome == "timeout"


def test_it_leaves_an_overdue_task_of_a_silent_worker_to_its_lease(caller):
    task = begun(submitted(caller))
    now = timezone.now()
    set_row(task, due_at=now, leased_until=now + timedelta(seconds=30))
    sweep()
    assert row(task).state == TaskState.EXECUTING


def test_it_fails_a_task_whose_facts_do_not_come(caller):
    task = parked(caller, "probe_need_info", **HOOK)
    overdue(task)
    sweep()
    assert row(task).error["code"] == Code.INFO_TIMEOUT
    assert Question.objects.get().state == "expired"
    assert events(task) == ["processing", "info_needed", "failed"]


def test_it_leaves_a_question_alone_that_is_not_due(caller):
    task = parked(caller, "probe_need_info")
    sweep()
    assert row(task).state == TaskState.INFO_NEEDED
