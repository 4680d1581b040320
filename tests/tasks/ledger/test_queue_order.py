"""The head of the queue: priorities, ageing, and who may take what (G14)."""

from datetime import timedelta
from threading import Event

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tasks_app import ledger
from tasks_app.policy import queue_key
from tests.factories import set_row, submitted
from tests.tasks.ledger.planning import begun
from tests.tasks.racing import race


def head(limit=50, lane="default", types=("probe_echo",), now=None):
    at = now or timezone.now()
    found = ledger.candidates(lane, list(types), now=at, limit=limit)
    return [candidate.task.id for candidate in found]


def aged(task, minutes):
    """The task as if it had been ready that long ago."""
    ready_at = task.ready_at - timedelta(minutes=minutes)
    key = queue_key(ready_at, task.priority)
    set_row(task, ready_at=ready_at, queue_key=key)
    return task.id


def test_it_takes_urgent_tasks_first(caller):
    names = ("low", "normal", "high", "urgent")
    tasks = {name: submitted(caller, priority=name).id for name in names}
    order = [tasks[name] for name in ("urgent", "high", "normal", "low")]
    assert head() == order


def test_it_takes_equal_tasks_in_the_order_they_came(caller):
    tasks = [aged(submitted(caller), minutes) for minutes in (3, 2, 1)]
    assert head() == tasks


def test_it_lets_a_low_task_age_past_an_urgent_one(caller):
    """Ten minutes, and a low task is equal to an urgent one."""
    urgent = submitted(caller, priority="urgent").id
    young = aged(submitted(caller, priority="low"), 9)
    old = aged(submitted(caller, priority="low"), 11)
    assert head() == [old, urgent, young]


def test_it_passes_over_what_is_not_ready_yet(caller):
    later = submitted(caller, priority="urgent")
    set_row(later, ready_at=timezone.now() + timedelta(seconds=30))
    ready = submitted(caller, priority="low").id
    assert head() == [ready]
    in_a_minute = timezone.now() + timedelta(minutes=1)
    assert head(now=in_a_minute) == [later.id, ready]


def test_it_passes_over_what_somebody_holds(caller):
    begun(submitted(caller))
    assert head() == []


def test_it_passes_over_other_lanes_and_types(caller):
    submitted(caller, "probe_other_lane")
    submitted(caller, "probe_fail")
    mine = submitted(caller).id
    assert head() == [mine]
    assert head(types=["probe_nothing"]) == []


def test_it_reads_no_more_than_asked(caller):
    for _ in range(3):
        submitted(caller)
    assert len(head(limit=2)) == 2


def test_it_brings_the_payload_along(caller):
    submitted(caller, payload={"text": "héllo"})
    found = ledger.candidates("default", ["probe_echo"], now=timezone.now(), limit=1)
    assert found[0].payload == {"text": "héllo"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has one writer at a time"
)
def test_it_passes_over_rows_that_another_worker_is_taking(caller):
    first, second = submitted(caller, priority="urgent"), submitted(caller)
    locked, looked = Event(), Event()

    def holder():
        with transaction.atomic():
            taken = head(limit=1)
            locked.set()
            looked.wait(10)
            return taken

    def other():
        locked.wait(10)
        with transaction.atomic():
            taken = head(limit=1)
        looked.set()
        return taken

    assert race(holder, other) == [[first.id], [second.id]]
