"""G02: an attempt that lost its task changes nothing any more."""

import pytest
from django.utils import timezone

from agents_app.host import AttemptStopped
from agents_app.protocol.states import TaskState
from tasks_app import ledger, lifecycle
from tasks_app.models import Attachment, JournalEntry, Task
from tasks_app.runner import outcomes
from tests.factories import log, row
from tests.tasks.ledger.planning import begun, complete


def lose(task_id):
    """Its lease ran out; another worker has already taken it."""
    task = ledger.load(task_id)
    lost = outcomes.lost(task, now=timezone.now(), policy=lifecycle.policy())
    ledger.commit([lost])
    return begun(lost.after)


def cancel(task_id):
    lifecycle.cancel(task_id, by="caller:1")


def task_id(ctx):
    return Task.objects.get(pk=ctx.task_id).pk


@pytest.mark.parametrize("fence", [lose, cancel])
def test_it_throws_the_result_away(run, declare, fence):
    def handler(ctx):
        fence(task_id(ctx))
        return {"by": "zombie"}

    declare(handler)
    task = run()
    assert row(task).result is None
    assert "task_complete" not in log(task)


@pytest.mark.parametrize("fence", [lose, cancel])
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda ctx: ctx.progress(50), id="progress"),
        pytest.param(lambda ctx: ctx.step("s", lambda: 1), id="step"),
        pytest.param(lambda ctx: ctx.attach("a", b"x", "text/plain"), id="attach"),
    ],
)
def test_it_stops_at_its_next_call(run, declare, fence, call):
    reached = []

    def handler(ctx):
        fence(task_id(ctx))
        with pytest.raises(AttemptStopped) as stopped:
            call(ctx)
        reached.append(str(stopped.value))
        raise stopped.value

    declare(handler)
    task = run()
    assert reached == ["cancelled" if fence is cancel else "fenced"]
    assert not JournalEntry.objects.exists()
    assert row(task).progress == 0


def test_it_leaves_no_file_behind(run, declare, settings, tmp_path):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path},
        },
    }

    def handler(ctx):
        cancel(task_id(ctx))
        ctx.attach("a", b"x", "text/plain")

    declare(handler)
    run()
    assert not Attachment.objects.exists()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_it_lets_the_new_attempt_win(run, declare):
    winners = []

    def handler(ctx):
        second = lose(task_id(ctx))
        ledger.commit([complete(second, {"by": "second"})])
        winners.append(second.attempt)
        return {"by": "first"}

    declare(handler)
    task = row(run())
    assert winners == [2]
    assert task.state == TaskState.COMPLETED
    assert task.result == {"by": "second"}
    assert [a.outcome for a in task.attempts.all()] == ["lost", "completed"]


def test_it_writes_an_outcome_again_when_the_row_only_moved_on(run, declare):
    """Whoever writes without fencing must not cost a result."""

    def handler(ctx):
        task = ledger.load(task_id(ctx))
        Task.objects.filter(pk=task.id).update(generation=task.generation + 7)
        return {"done": True}

    declare(handler)
    assert row(run()).result == {"done": True}
