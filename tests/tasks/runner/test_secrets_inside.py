"""G60: what a handler's exception says stays in the house."""

from agents_app.protocol.errors import Code
from tests.factories import row

SECRET = "tr0ub4dor&3"


def everything_a_caller_may_see(task):
    task = row(task)
    said = [message.payload for message in task.messages.exclude(generation=1)]
    sent = [delivery.body for delivery in task.deliveries.all()]
    return str([task.result, task.error, task.status_message, said, sent])


def test_it_tells_the_caller_a_code_and_a_safe_text(run, run_again):
    hook = "https://example.com/hook"
    task = run("probe_secret_error", payload={"secret": SECRET}, callback_url=hook)
    run_again()
    run_again()
    assert row(task).error["code"] == Code.HANDLER_FAILED
    assert SECRET not in everything_a_caller_may_see(task)


def test_it_keeps_the_trace_for_operators(run):
    task = run("probe_secret_error", payload={"secret": SECRET})
    trace = row(task).attempts.get().trace
    assert SECRET in trace
    assert "RuntimeError" in trace
