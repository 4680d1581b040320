"""An attempt that comes to an end by itself, and what becomes of its task."""

import sys

import pytest

from agents_app.context import HandlerError
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from tasks_app import storage
from tasks_app.ledger import NewAttachment
from tests.factories import log, row


def outcomes(task):
    return list(row(task).attempts.values_list("outcome", flat=True))


def wait_s(task):
    """How long after the last change the next try is ready."""
    task = row(task)
    return (task.ready_at - task.updated_at).total_seconds()


def test_it_completes(run):
    task = row(run("probe_echo", payload={"text": "hi"}))
    assert task.state == TaskState.COMPLETED
    assert task.result == {"payload": {"text": "hi"}, "files": []}
    assert task.progress == 100
    assert log(task) == [
        "task_request",
        "task_confirm",
        "task_status_update",
        "task_complete",
        "task_ack",
    ]


def test_it_fails_at_once_when_trying_again_is_of_no_use(run):
    task = row(run("probe_fail", payload={"message": "No paper."}))
    assert task.state == TaskState.FAILED
    assert (task.error["code"], task.error["message"]) == (2006, "No paper.")
    assert outcomes(task) == ["failed"]


def test_it_tries_again_after_five_and_thirty_seconds(run, run_again):
    task = run("probe_fail", payload={"retryable": True})
    assert row(task).state == TaskState.EXECUTING
    assert wait_s(task) == 5
    run_again()
    assert wait_s(task) == 30
    run_again()
    assert row(task).state == TaskState.FAILED
    assert outcomes(task) == ["retry", "retry", "failed"]


def test_it_waits_for_the_next_try_without_being_claimed(run, bells):
    task = run("probe_fail", payload={"retryable": True})
    assert row(task).attempt == 1
    assert (row(task).leased_until, row(task).worker) == (None, "")


def test_it_fails_after_the_last_try_with_the_words_of_the_handler(
    run, run_again, declare
):
    def handler(ctx):
        raise HandlerError("Busy.", retryable=True, details={"printer": 3})

    declare(handler)
    task = run()
    run_again()
    run_again()
    error = row(task).error
    assert (error["code"], error["message"]) == (Code.HANDLER_FAILED, "Busy.")
    assert error["details"] == {"printer": 3}


def test_it_recovers_from_a_failure(run, run_again):
    task = run("probe_flaky", payload={"failures": 2, "file": "count"})
    run_again()
    run_again()
    assert row(task).result == {"tries": 3}
    assert outcomes(task) == ["retry", "retry", "completed"]


def test_it_counts_the_failures_in_a_row_only(run, run_again, declare):
    """A question that was asked is a success of its attempt."""

    def handler(ctx):
        if ctx.attempt < 3:
            raise HandlerError("Busy.", retryable=True)
        ctx.need_info(["colour"], "Which?")

    declare(handler)
    task = run()
    run_again()
    assert row(task).failures == 2
    run_again()
    assert (row(task).state, row(task).failures) == (TaskState.INFO_NEEDED, 0)


def test_it_rings_when_the_next_try_is_due(
    run, bells, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        run("probe_fail", payload={"retryable": True})
    assert bells[-1] == ("synapse.advance", ["default"], "lane.default", 5.0)


def test_it_gives_a_handler_its_files(run, caller):
    file_id = caller.pk
    stored = storage.keep_bytes(file_id, b"hello")
    file = NewAttachment(
        id=file_id,
        kind="input",
        name="a.txt",
        content_type="text/plain",
        size=stored.size,
        sha256=stored.sha256,
        created_at=caller.created_at,
    )
    task = run("probe_echo", attachments=(file,))
    assert row(task).result["files"] == [{"name": "a.txt", "size": 5}]


def test_it_names_the_files_that_a_handler_attached(run, declare):
    """Decisions 39."""
    declare(lambda ctx: {"file": ctx.attach("out.txt", b"hello", "text/plain")})
    task = row(run())
    file = task.attachments.get(kind="result")
    assert task.result == {"file": str(file.id)}
    assert storage.path_of(file.id).read_bytes() == b"hello"
    said = task.messages.get(type="p2p:task_complete").payload["attachments"]
    assert [one["file_id"] for one in said] == [str(file.id)]


@pytest.mark.parametrize("number", [1e22, 1e300, -sys.float_info.max])
def test_it_gives_back_a_number_that_jsonb_writes_out(run, number):
    task = row(run("probe_echo", payload={"n": number}))
    assert task.state == TaskState.COMPLETED
    assert float(task.result["payload"]["n"]) == number


def test_it_fails_a_result_that_no_row_can_hold(run, declare):
    declare(lambda ctx: {"bad": "a\0b"})
    assert row(run()).error["code"] == Code.RESULT_INVALID


def test_it_keeps_the_code_of_a_deliberate_error(run, declare):
    def handler(ctx):
        raise SynapseError(Code.DATABASE_UNAVAILABLE)

    declare(handler)
    task = run()
    assert row(task).state == TaskState.EXECUTING, "1001 is worth another try"


def test_it_puts_back_a_task_whose_type_is_switched_off_meanwhile(run, declare):
    answers = iter([True, True, False])
    declare(lambda ctx: {}, enabled=lambda: next(answers, False))
    task = row(run())
    assert (task.state, task.failures) == (TaskState.EXECUTING, 1)
    assert task.queue_key is not None


def test_it_begins_with_the_payload_that_was_submitted(run, run_again, declare):
    seen = []

    def handler(ctx):
        seen.append((ctx.attempt, ctx.payload.model_dump()))
        if ctx.attempt == 1:
            raise HandlerError("Busy.", retryable=True)
        return {}

    declare(handler)
    run(payload={"a": [1, None]})
    run_again()
    assert seen == [(1, {"a": [1, None]}), (2, {"a": [1, None]})]
