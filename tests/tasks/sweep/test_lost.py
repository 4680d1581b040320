"""G05, G06: a worker that died, and a task that kills every one."""

from django.utils import timezone

from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import runner
from tasks_app.sweep import sweep
from tests.factories import events, row, set_row, submitted
from tests.tasks.ledger.planning import begun
from tests.tasks.sweep.aging import HOOK, ago, die, reread


def test_it_leaves_a_live_attempt_alone(caller):
    task = begun(submitted(caller))
    sweep()
    assert row(task).leased_until == task.leased_until
    assert row(task).attempt == 1


def test_it_puts_a_lost_task_back_at_once(caller):
    task = begun(submitted(caller))
    die(task)
    sweep()
    after = row(task)
    assert (after.state, after.failures) == (TaskState.EXECUTING, 1)
    assert after.ready_at <= timezone.now()
    assert after.attempts.get().outcome == "lost"


def test_it_rings_for_the_next_try(caller, bells, django_capture_on_commit_callbacks):
    task = begun(submitted(caller))
    die(task)
    with django_capture_on_commit_callbacks(execute=True):
        sweep()
    assert ("synapse.advance", ["default"], "lane.default", 0) in bells


def test_it_gives_up_after_three_lost_attempts(caller):
    """G06: a poisonous task is bounded."""
    task = submitted(caller, **HOOK)
    for _ in range(3):
        die(begun(reread(task)))
        sweep()
    error = row(task).error
    assert error["code"] == Code.ATTEMPTS_EXHAUSTED
    assert error["details"] == {"attempts": 3}
    assert list(row(task).attempts.values_list("outcome", flat=True)) == ["lost"] * 3
    assert events(task) == ["processing", "failed"]


def test_it_runs_what_it_brought_back(caller):
    task = begun(submitted(caller, payload={"a": 1}))
    die(task)
    sweep()
    runner.drain("default")
    assert row(task).result == {"payload": {"a": 1}, "files": []}


def test_it_gives_the_next_attempt_of_a_short_type_its_time(caller, declare):
    """The lease's grace is longer than the type may run; that is not run time."""
    declare(lambda ctx: {"ok": True}, max_duration_s=2)
    task = begun(submitted(caller, "test_type"))
    set_row(
        task,
        attempt_started_at=ago(62),
        leased_until=ago(1),
        due_at=ago(60),
    )
    sweep()
    runner.drain("default")
    assert row(task).result == {"ok": True}
