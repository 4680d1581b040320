"""Result files: those of steps that were recorded, and no others (decisions 39)."""

import uuid

from agents_app.context import HandlerError
from tasks_app import desk, ledger, storage
from tasks_app.models import Attachment
from tests.factories import row, submitted
from tests.tasks.ledger.planning import begun
from tests.tasks.runner.test_outcomes import outcomes


def attach(ctx, name):
    return ctx.attach(name, name.encode(), "text/plain")


def named(task):
    """The files that the completion names."""
    said = row(task).messages.get(type="p2p:task_complete").payload
    return [file["name"] for file in said.get("attachments", [])]


def kept(task):
    return [file.name for file in row(task).attachments.all()]


def test_it_drops_the_files_of_a_step_that_starts_again(run, run_again, declare):
    stored = []

    def make(ctx):
        stored.append(uuid.UUID(attach(ctx, f"try-{ctx.attempt}")))
        if ctx.attempt < 3:
            raise HandlerError("Busy.", retryable=True)

    declare(lambda ctx: ctx.step("make", make, ctx) or {})
    task = run()
    assert kept(task) == ["try-1"]
    run_again()
    run_again()
    assert named(task) == kept(task) == ["try-3"]
    there = [storage.path_of(file_id).exists() for file_id in stored]
    assert there == [False, False, True]


def test_it_drops_a_file_that_was_attached_but_not_recorded(run, run_again, declare):
    """The process died in between."""

    def handler(ctx):
        if ctx.attempt == 1:
            ctx._host.attach("lost", b"x", "text/plain", 0)
            raise OSError
        attach(ctx, "found")
        return {}

    declare(handler)
    task = run()
    run_again()
    assert named(task) == kept(task) == ["found"]


def test_it_drops_the_file_of_a_step_that_is_not_taken_again(run, run_again, declare):
    def handler(ctx):
        if ctx.attempt == 1:
            ctx.step("fail", lambda: [attach(ctx, "lost"), 1 / 0])
        return {}

    declare(handler)
    task = run()
    run_again()
    assert outcomes(task) == ["retry", "completed"]
    assert named(task) == kept(task) == []


def test_it_keeps_the_files_of_recorded_steps(run, run_again, declare):
    def handler(ctx):
        attach(ctx, "alone")
        ctx.step("two", lambda: [attach(ctx, "first"), attach(ctx, "second")])
        if ctx.attempt == 1:
            raise HandlerError("Busy.", retryable=True)
        ctx.need_info(["colour"], "Which?")
        attach(ctx, "last")
        return {}

    declare(handler)
    task = run()
    run_again()
    desk.provide(task.id, {"colour": "red"}, by="caller:1")
    run_again()
    assert named(task) == kept(task) == ["alone", "first", "second", "last"]


def test_it_leaves_uploads_alone(caller):
    task = begun(submitted(caller))
    Attachment.objects.create(
        task_id=task.id, kind="input", size=1, created_at=task.created_at
    )
    assert ledger.drop_unrecorded(task.id, 1) == []
    assert Attachment.objects.count() == 1


def test_it_drops_nothing_for_an_attempt_that_is_fenced(caller):
    task = begun(submitted(caller))
    Attachment.objects.create(
        task_id=task.id, kind="result", size=1, position=0, created_at=task.created_at
    )
    assert ledger.drop_unrecorded(task.id, 2) == []
    assert len(ledger.drop_unrecorded(task.id, 1)) == 1
