"""The keeper's thread, at work beside a handler: it renews, notices, frees, stops.

Handlers wait for what the keeper does to their row or their attempt; pytest's timeout
ends a wait that is in vain.
"""

import os
import signal
import sys
from datetime import timedelta
from threading import Event

import pytest
from django.db import connection
from django.utils import timezone

from agents_app.host import AttemptStopped
from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import lifecycle, runner
from tasks_app.models import Attempt, Task
from tasks_app.runner.held import Held
from tasks_app.runner.keeper import Keeper
from tests.factories import row, submitted
from tests.tasks.ledger.planning import begun

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(30)]


def wait(condition):
    """Look again and again, as a handler without calls of its own would."""
    pause = Event()
    while not condition():
        pause.wait(0.005)


def task_of(ctx):
    return Task.objects.get(pk=ctx.task_id)


def test_it_notices_a_cancel(caller, declare, watching):
    """G11: the handler is asked to stop."""
    ended = []

    def handler(ctx):
        lifecycle.cancel(task_of(ctx).pk, by="caller:1")
        wait(lambda: ctx.cancelled)
        with pytest.raises(AttemptStopped) as stopped:
            ctx.check()
        ended.append(str(stopped.value))
        raise stopped.value

    declare(handler)
    task = submitted(caller, "test_type")
    runner.drain("default")
    assert ended == ["cancelled"]
    assert row(task).state == TaskState.CANCELLED
    assert row(task).attempts.get().outcome == "cancelled"


def test_it_notices_that_another_attempt_took_over(caller, declare, watching):
    """G02."""
    reasons = []

    def handler(ctx):
        Task.objects.filter(pk=ctx.task_id).update(attempt=2)
        wait(lambda: ctx.cancelled)
        try:
            ctx.check()
        except AttemptStopped as stopped:
            reasons.append(str(stopped))
            raise

    declare(handler)
    submitted(caller, "test_type")
    runner.drain("default")
    assert reasons == ["fenced"]


def test_it_ends_what_runs_too_long(caller, declare, watching):
    """G10: MAX_DURATION, and the attempt says why."""

    def handler(ctx):
        wait(lambda: ctx.cancelled)
        ctx.check()

    declare(handler, max_duration_s=1)
    task = submitted(caller, "test_type")
    Task.objects.update(spent_ms=900)
    runner.drain("default")
    assert row(task).error["code"] == Code.MAX_DURATION
    assert row(task).error["details"] == {"max_duration_s": 1}
    assert row(task).attempts.get().outcome == "timeout"


def test_it_renews_the_lease_of_a_long_task(caller, declare, watching, settings):
    settings.SYNAPSE_LEASE_RENEW_SECONDS = 0

    def handler(ctx):
        first = task_of(ctx)
        wait(lambda: task_of(ctx).leased_until > first.leased_until)
        return {"same": task_of(ctx).generation == first.generation}

    declare(handler)
    task = submitted(caller, "test_type")
    runner.drain("default")
    assert row(task).result == {"same": True}


def test_it_renews_no_more_often_than_it_should(caller):
    task = begun(submitted(caller))
    held = Held(
        task=task,
        attempt=task.attempt,
        renewed_at=timezone.now() - timedelta(seconds=21),
        deadline=None,
    )
    renewals = []
    for _ in range(2):
        sys.modules[Keeper.__module__]._renew_or_stop(held)
        renewals.append(row(task).leased_until)
    assert renewals[0] > task.leased_until
    assert renewals[1] == renewals[0]


def test_it_frees_the_batch_of_a_task_that_turns_out_slow(
    caller, declare, watching, monkeypatch, fresh_pace
):
    """What waits behind it goes back into line; what is done is written."""
    monkeypatch.setattr(sys.modules[Keeper.__module__], "_SLOW_SECONDS", 0.05)
    tasks = []

    def handler(ctx):
        if ctx.payload.n == 1 and ctx.attempt == 1:
            before, _, behind = tasks
            wait(lambda: row(before).state == TaskState.COMPLETED)
            wait(lambda: row(behind).queue_key is not None)
        return {"n": ctx.payload.n}

    declare(handler)
    fresh_pace.learn("test_type", 0.1)
    for n in range(3):
        tasks.append(submitted(caller, "test_type", payload={"n": n}))
    runner.drain("default")
    assert [row(task).result for task in tasks] == [{"n": 0}, {"n": 1}, {"n": 2}]
    outcomes = Attempt.objects.filter(task_id=tasks[2].id).values_list("outcome")
    assert [outcome for (outcome,) in outcomes] == ["returned", "completed"]
    assert row(tasks[2]).failures == 0
    assert Attempt.objects.filter(task_id=tasks[0].id).count() == 1


def test_it_does_not_begin_what_was_cancelled_while_it_waited(
    caller, declare, watching, fresh_pace
):
    """G11: cancelled before its start, though already claimed."""
    begun = []

    def handler(ctx):
        begun.append(ctx.payload.n)
        if ctx.payload.n == 0:
            [waiting] = [held for held in watching._held if held.task.id == second.id]
            lifecycle.cancel(second.id, by="caller:1")
            wait(lambda: waiting.reason is not None)
        return {}

    declare(handler)
    fresh_pace.learn("test_type", 0.1)
    submitted(caller, "test_type", payload={"n": 0})
    second = submitted(caller, "test_type", payload={"n": 1})
    runner.drain("default")
    assert begun == [0]


def test_it_looks_after_what_is_held_only(caller, declare, watching):
    declare(lambda ctx: {"held": len(watching._held)})
    task = submitted(caller, "test_type")
    runner.drain("default")
    assert row(task).result == {"held": 1}
    assert watching._held == []


def test_it_survives_a_look_that_fails(caller, declare, watching, monkeypatch, caplog):
    look, failed = watching._look, Event()

    def failing_once(held):
        if not failed.is_set():
            failed.set()
            raise RuntimeError("the database is away")
        look(held)

    monkeypatch.setattr(watching, "_look", failing_once)

    def handler(ctx):
        failed.wait(10)
        lifecycle.cancel(task_of(ctx).pk, by="caller:1")
        wait(lambda: ctx.cancelled)
        ctx.check()

    declare(handler)
    task = submitted(caller, "test_type")
    runner.drain("default")
    assert row(task).state == TaskState.CANCELLED
    assert "could not look after" in caplog.text


@pytest.fixture
def force(watching, monkeypatch, settings):
    """A keeper that may use force, at once; the last resort is only recorded."""
    killed = Event()
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.set())
    settings.SYNAPSE_STOP_GRACE_SECONDS = 0
    before = signal.getsignal(signal.SIGUSR2)
    watching.become_expendable()
    yield killed
    signal.signal(signal.SIGUSR2, before)


def test_it_interrupts_a_handler_that_does_not_listen(caller, declare, force):
    reached = []

    def handler(ctx):
        lifecycle.cancel(task_of(ctx).pk, by="caller:1")
        Event().wait(20)
        reached.append("the end")

    declare(handler)
    task = submitted(caller, "test_type")
    runner.drain("default")
    assert reached == []
    assert row(task).state == TaskState.CANCELLED
    assert connection.connection is not None, "a fresh one: the old may be broken"


def test_it_ends_the_process_of_a_handler_that_cannot_be_interrupted(
    caller, declare, force
):
    def handler(ctx):
        lifecycle.cancel(task_of(ctx).pk, by="caller:1")
        try:
            Event().wait(20)
        except AttemptStopped:
            force.wait(20)
        return {}

    declare(handler)
    submitted(caller, "test_type")
    runner.drain("default")
    assert force.is_set()
