"""Quick tasks are claimed, run and settled together, and do not hurt each other."""

import signal
import sys

import pytest
from billiard.common import _shutdown_cleanup, clear_terminate_handler_fired
from django.db import connection
from django.utils import timezone

from agents_app.context import HandlerError
from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import runner
from tasks_app.models import Attempt, Task
from tasks_app.runner import slot
from tasks_app.runner.held import Held
from tasks_app.runner.settling import settle_alone
from tasks_app.transition import steps
from tests.factories import row, submitted
from tests.tasks.ledger.planning import begun, complete


@pytest.fixture
def batch(caller, declare, fresh_pace):
    """Submits one task for each number and runs them as one batch."""

    def run(handler, numbers):
        declare(handler)
        fresh_pace.learn("test_type", 0.1)
        tasks = [submitted(caller, "test_type", payload={"n": n}) for n in numbers]
        runner.drain("default")
        return tasks

    return run


def number(ctx):
    return ctx.payload.n


def batches():
    """How many tasks were claimed at each moment."""
    moments = list(Attempt.objects.values_list("started_at", flat=True))
    return [moments.count(moment) for moment in sorted(set(moments))]


def test_it_claims_the_first_of_a_type_alone(caller):
    for _ in range(3):
        submitted(caller)
    runner.drain("default")
    assert batches()[0] == 1


def test_it_claims_quick_tasks_together_once_it_knows_them(batch):
    tasks = batch(lambda ctx: {"n": number(ctx)}, range(5))
    assert batches() == [5]
    assert [row(task).result["n"] for task in tasks] == list(range(5))


def test_it_learns_how_quick_a_type_is(caller, monkeypatch):
    """In a minute of budget anything is quick, however busy this machine is."""
    monkeypatch.setattr(slot._pace, "budget_ms", 60_000)
    submitted(caller)
    runner.drain("default")
    for _ in range(3):
        submitted(caller)
    runner.drain("default")
    assert batches() == [1, 3]


def failing(ctx):
    if number(ctx) == 1:
        raise HandlerError("This one.")
    return {"n": number(ctx)}


def breaking(ctx):
    if number(ctx) == 1:
        raise RuntimeError
    return {"n": number(ctx)}


@pytest.mark.parametrize("handler", [failing, breaking])
def test_it_lets_one_fail_and_its_neighbours_complete(batch, handler):
    first, bad, last = batch(handler, range(3))
    assert row(first).result == {"n": 0}
    assert row(last).result == {"n": 2}
    assert row(bad).result is None


def test_it_runs_the_next_try_alone(batch, caller, fresh_pace):
    """So that a poisonous one takes nobody along (G06)."""
    _, bad, _ = batch(breaking, range(3))
    Task.objects.filter(pk=bad.id).update(ready_at=timezone.now(), queue_key=0)
    submitted(caller, "test_type", payload={"n": 5})
    runner.drain("default")
    again = row(bad).attempts.get(number=2)
    assert Attempt.objects.filter(started_at=again.started_at).count() == 1


def exiting(ctx):
    if number(ctx) == 1:
        sys.exit("enough")
    return {"n": number(ctx)}


def test_it_does_not_let_a_handler_end_the_process(batch):
    first, bad, last = batch(exiting, range(3))
    assert [row(first).result, row(last).result] == [{"n": 0}, {"n": 2}]
    assert (row(bad).state, row(bad).failures) == (TaskState.EXECUTING, 1)


@pytest.fixture
def told_to_go():
    """Does what the pool's own handler of SIGTERM does, in the middle of a handler."""
    kept = signal.getsignal(signal.SIGUSR2)
    yield lambda: _shutdown_cleanup(signal.SIGUSR2, None)
    signal.signal(signal.SIGUSR2, kept)
    clear_terminate_handler_fired()


def test_it_keeps_what_is_done_when_the_process_is_told_to_go(batch, told_to_go):
    """Nor is that a failure of the handler (G15)."""

    def handler(ctx):
        if number(ctx) == 1:
            told_to_go()
        return {"n": number(ctx)}

    with pytest.raises(SystemExit):
        batch(handler, range(3))
    first, bad, last = Task.objects.order_by("created_at")
    assert first.result == {"n": 0}
    assert (bad.state, bad.failures) == (TaskState.EXECUTING, 0)
    assert last.leased_until is not None, "its lease brings it back"


def test_it_writes_what_is_done_when_the_time_budget_is_used_up(batch, settings):
    settings.SYNAPSE_BATCH_MILLISECONDS = 0
    seen = []

    def handler(ctx):
        seen.append(Task.objects.filter(state=TaskState.COMPLETED).count())
        return {}

    batch(handler, range(3))
    assert seen == [0, 1, 2]


def test_it_runs_a_parked_task_beside_one_that_completes(batch):
    def handler(ctx):
        if number(ctx) == 0:
            ctx.need_info(["colour"], "Which?")
        return {}

    asking, done = batch(handler, range(2))
    assert row(asking).state == TaskState.INFO_NEEDED
    assert row(done).state == TaskState.COMPLETED


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite knows no lengths of text"
)
@pytest.mark.django_db(transaction=True)
def test_it_fails_an_outcome_that_no_row_can_hold(caller):
    task = begun(submitted(caller))
    held = Held(task=task, attempt=1, renewed_at=timezone.now(), deadline=task.due_at)
    settle_alone(held, lambda now: steps.with_after(complete(now), worker="x" * 201))
    assert row(task).error["code"] == Code.RESULT_INVALID
