"""Changes of real rows, as the runner and the desk plan them."""

from datetime import datetime, timedelta

from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import ErrorObject, TaskComplete, TaskNeedInfo
from tasks_app import ledger, lifecycle
from tasks_app.changes import Change, Snapshot
from tasks_app.transition import attempts


def begin(task: Snapshot, now: datetime | None = None) -> Change:
    return attempts.begin(
        task, worker="host:1", now=now or timezone.now(), policy=lifecycle.policy()
    )


def begun(task: Snapshot) -> Snapshot:
    """The task with a live attempt, written."""
    change = begin(task)
    assert ledger.commit([change]) == {task.id}
    return change.after


def complete(task: Snapshot, result: object = None) -> Change:
    done = TaskComplete(task_id=str(task.id), result={} if result is None else result)
    return attempts.complete(task, done, now=timezone.now(), policy=lifecycle.policy())


def fail(task: Snapshot) -> Change:
    error = ErrorObject.of(SynapseError(Code.HANDLER_FAILED))
    return attempts.fail(task, error, now=timezone.now(), policy=lifecycle.policy())


def ask(task: Snapshot, *names: str) -> Change:
    question = TaskNeedInfo(
        task_id=str(task.id), missing_fields=names or ("colour",), reason="Which?"
    )
    return attempts.ask(
        task, question, position=0, now=timezone.now(), policy=lifecycle.policy()
    )


def report(task: Snapshot, progress: int = 10) -> Change:
    return attempts.report(
        task,
        progress=progress,
        message="",
        eta=timezone.now() + timedelta(hours=1),
        now=timezone.now(),
        policy=lifecycle.policy(),
    )
