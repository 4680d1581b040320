"""What waits behind others of its task is put aside, and comes back by itself."""

from datetime import timedelta

import pytest

from tasks_app import delivery
from tasks_app.delivery import looking, recording
from tasks_app.delivery.advancing import advance
from tasks_app.delivery.due import due, queue_of
from tests.receiver import ok, status
from tests.tasks.delivery.letters import Friend, letter

pytestmark = pytest.mark.django_db


def _failing_first(receiver, put):
    """A callback that failed once, and the one behind it."""
    receiver.on("/1", status(500), ok())
    first = put(receiver.url("/1"))
    second = put(receiver.url("/2"), beside=first)
    delivery.deliver_due()
    first.refresh_from_db()
    second.refresh_from_db()
    return first, second


def test_it_looks_at_one_that_waits_after_its_leader_only(receiver, put, clock):
    first, second = _failing_first(receiver, put)
    assert second.next_try_at > first.next_try_at
    clock.forward(10)
    assert list(due(clock())) == [first]


def _long_queue(receiver, put, monkeypatch):
    """Twelve that wait behind one that failed, looked at by four at a time."""
    monkeypatch.setattr(looking, "_ROUNDS", (4, 4))
    receiver.on("/1", status(500))
    last = put(receiver.url("/1"))
    for _ in range(12):
        last = put(receiver.url("/more"), beside=last)


def test_it_puts_a_long_queue_aside_in_several_goes(
    receiver, put, clock, bells, monkeypatch, django_capture_on_commit_callbacks
):
    _long_queue(receiver, put, monkeypatch)
    with django_capture_on_commit_callbacks(execute=True):
        delivery.deliver_due()
    assert due(clock()).exists()
    assert _rung_at_once(bells)
    bells.clear()
    with django_capture_on_commit_callbacks(execute=True):
        delivery.deliver_due()
    assert not due(clock()).exists()
    assert not _rung_at_once(bells)
    assert [request.path for request in receiver.requests] == ["/1"]


def _rung_at_once(bells) -> bool:
    return any(in_seconds == 0 for *_, in_seconds in bells)


def test_it_looks_at_others_between_goes_at_a_long_queue_g24(
    receiver, put, clock, monkeypatch
):
    _long_queue(receiver, put, monkeypatch)
    put(receiver.url("/good"), party="caller:other")
    delivery.deliver_due()
    assert "/good" in [request.path for request in receiver.requests]
    assert due(clock()).exists()


def test_it_comes_back_when_nobody_brings_it(receiver, put, clock, monkeypatch):
    monkeypatch.setattr(recording, "advance", lambda *_, **__: False)
    _failing_first(receiver, put)
    clock.forward(10)
    delivery.deliver_due()
    assert [request.path for request in receiver.requests] == ["/1", "/1"]
    clock.forward(70)
    delivery.deliver_due()
    assert [request.path for request in receiver.requests] == ["/1", "/1", "/2"]


def test_it_does_not_put_aside_what_was_brought_back_meanwhile(receiver, put, clock):
    _, second = _failing_first(receiver, put)
    looked = clock()
    first_gone = second.task.deliveries.filter(sequence=1)
    first_gone.update(state="delivered", next_try_at=None)
    assert advance(queue_of(second))
    looking._put_aside({second.pk: looked + timedelta(hours=5)}, looked)
    second.refresh_from_db()
    assert second.next_try_at <= clock()


def test_it_leaves_one_that_was_tried_its_own_schedule(receiver, put, clock):
    first, _ = _failing_first(receiver, put)
    assert not advance(queue_of(first))
    assert not due(clock()).exists()


def test_it_goes_on_when_the_peer_says_itself_that_it_has_a_message(
    receiver, submit, clock, django_capture_on_commit_callbacks
):
    friend = Friend("friend", receiver.url("/friend"))
    receiver.on("/friend", status(500), friend.acks())
    first = letter(friend, task_id=submit(receiver.url("/hook")))
    second = letter(friend, beside=first)
    delivery.deliver_due()
    with django_capture_on_commit_callbacks(execute=True):
        delivery.acknowledge(friend.row, str(first.pk))
    delivery.deliver_due()
    second.refresh_from_db()
    assert second.state == "delivered"
