"""Lets rows look as if much time had gone by."""

from datetime import datetime, timedelta

from django.utils import timezone

from tasks_app import ledger, runner
from tasks_app.changes import Snapshot
from tests.factories import set_row, submitted

HOOK = {"callback_url": "https://example.com/hook"}


def ago(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def die(task: Snapshot) -> None:
    """Its worker has been silent until the lease ran out."""
    set_row(task, leased_until=ago(1))


def overdue(task: Snapshot) -> None:
    set_row(task, due_at=ago(1))


def parked(caller, task_type: str, **fields) -> Snapshot:
    """A task that has asked its question."""
    task = submitted(caller, task_type, **fields)
    runner.drain("default")
    return reread(task)


def reread(task: Snapshot) -> Snapshot:
    found = ledger.load(task.id)
    assert found is not None
    return found
