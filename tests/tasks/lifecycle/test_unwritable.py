"""A task that the database refuses ends alone: nobody else waits for it (G06)."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import claiming
from tasks_app.models import Delivery, Message
from tests.factories import events, row, submitted

HOOK = {"callback_url": "https://example.com/hook"}


def claim(limit=10, worker="host:1"):
    taken = claiming.claim(
        "default", worker=worker, limit=limit, fits=lambda task: True
    )
    return [begun.id for _, begun in taken]


def occupy_callback(task):
    """The number of its first callback is taken: none can be written."""
    Delivery.objects.create(
        task_id=task.id,
        sequence=1,
        event="processing",
        terminal=False,
        created_at=timezone.now(),
    )


def occupy_log(task):
    """The place of its next message is taken: nothing can be logged."""
    first = Message.objects.get(task_id=task.id)
    Message.objects.create(
        task_id=task.id,
        generation=2,
        message_id="other",
        type=first.type,
        sender=first.sender,
        recipient=first.recipient,
        payload={},
        created_at=first.created_at,
    )


@pytest.fixture
def bad(caller):
    """At the head of the queue."""
    return submitted(caller, priority="urgent", **HOOK)


@pytest.fixture
def good(caller):
    return submitted(caller, **HOOK)


@pytest.mark.parametrize("limit", [1, 10])
def test_it_ends_the_one_and_claims_the_other(bad, good, limit):
    occupy_callback(bad)
    assert claim(limit) == [good.id]
    assert row(bad).state == TaskState.FAILED
    assert row(bad).error["code"] == Code.UNSTORABLE_VALUE


@pytest.mark.parametrize("limit", [1, 10])
def test_it_lays_aside_what_cannot_even_be_failed(bad, good, limit):
    occupy_log(bad)
    assert claim(limit) == [good.id]
    assert row(bad).state == TaskState.PENDING
    assert row(bad).ready_at > timezone.now()


def test_it_ends_each_of_several(caller, good):
    refused = [submitted(caller, priority="urgent", **HOOK) for _ in range(3)]
    for task in refused:
        occupy_callback(task)
    assert claim() == [good.id]
    assert {row(task).state for task in refused} == {TaskState.FAILED}


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite knows no lengths of text"
)
def test_it_tells_the_caller_of_a_value_that_is_too_long(bad):
    assert claim(worker="x" * 201) == []
    assert row(bad).error["code"] == Code.UNSTORABLE_VALUE
    assert events(bad) == ["failed"]


def test_it_blames_no_task_when_the_tables_are_of_another_version(bad, monkeypatch):
    """A column that an older worker does not fill is no fault of the tasks."""
    begin = claiming.attempts.begin

    def nameless(task, **how):
        change = begin(task, **how)
        return replace(change, messages=(replace(change.messages[0], type=None),))

    monkeypatch.setattr(claiming.attempts, "begin", nameless)
    with pytest.raises(IntegrityError):
        claim()
    assert row(bad).state == TaskState.PENDING
    assert row(bad).ready_at < timezone.now()
