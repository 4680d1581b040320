"""G13: progress is a whole number from 0 to 100 and never goes back."""

import pytest

from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.models import Task
from tests.factories import row


def reported(task):
    updates = row(task).messages.filter(type="p2p:task_status_update")
    return [update.payload.get("progress") for update in updates.order_by("generation")]


def test_it_logs_every_number_and_shows_the_highest(run, declare):
    shown = []

    def handler(ctx):
        for percent in (10, 70, 30, 100):
            ctx.progress(percent, f"at {percent}")
            task = row_of(ctx)
            shown.append((task.progress, task.status_message))
        return {}

    declare(handler)
    task = run()
    assert reported(task) == [0, 10, 70, 30, 100]
    assert shown == [(10, "at 10"), (70, "at 70"), (70, "at 30"), (99, "at 100")]
    assert row(task).progress == 100


@pytest.mark.parametrize("wrong", [101, -1, True, "50", 1e2, None])
def test_it_refuses_what_is_no_percentage(run, declare, wrong):
    declare(lambda ctx: ctx.progress(wrong))
    task = row(run())
    assert task.state == TaskState.FAILED
    assert task.error["code"] == Code.PROGRESS_INVALID
    assert task.progress == 0


def test_it_does_not_go_back_when_a_task_is_resumed(run, run_again, declare):
    def handler(ctx):
        ctx.progress(60)
        ctx.need_info(["colour"], "Which?")
        return {"progress": row_of(ctx).progress}

    declare(handler)
    task = run()
    desk.provide(task.id, {"colour": "red"}, by="caller:1")
    assert row(task).progress == 60
    run_again()
    assert row(task).result == {"progress": 60}


def row_of(ctx):
    return Task.objects.get(pk=ctx.task_id)
