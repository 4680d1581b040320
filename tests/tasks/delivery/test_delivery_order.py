"""G22: in order per task, one at a time, and nothing after the final one."""

import pytest

from agents_app.outbound import Reply
from tasks_app import delivery
from tasks_app.delivery.judging import Verdict
from tasks_app.delivery.recording import record
from tasks_app.models import DeliveryState
from tests.receiver import ok, status
from tests.tasks.delivery.claims import claim

pytestmark = pytest.mark.django_db


def _sent(receiver):
    return [request.path for request in receiver.requests]


def _fail(claimed, clock):
    again = Verdict(state=DeliveryState.WAITING, next_try_at=clock())
    done = record(claimed, Reply(status=500), again, started_at=clock(), now=clock())
    assert done


def test_it_sends_the_events_of_a_task_in_order(receiver, put):
    first = put(receiver.url("/1"))
    second = put(receiver.url("/2"), beside=first)
    put(receiver.url("/3"), beside=second)
    delivery.deliver_due()
    assert _sent(receiver) == ["/1", "/2", "/3"]


def test_it_holds_back_what_follows_a_failed_one(receiver, put, clock):
    receiver.on("/1", status(500), ok())
    first = put(receiver.url("/1"))
    put(receiver.url("/2"), beside=first)
    delivery.deliver_due()
    assert _sent(receiver) == ["/1"]
    assert not delivery.anything_due(clock())
    clock.forward(10)
    delivery.deliver_due()
    assert _sent(receiver) == ["/1", "/1", "/2"]


def test_it_does_not_hold_back_other_tasks(receiver, put):
    receiver.on("/1", status(500))
    put(receiver.url("/1"))
    put(receiver.url("/other"))
    delivery.deliver_due()
    assert sorted(_sent(receiver)) == ["/1", "/other"]


def test_it_goes_on_behind_a_dead_one(receiver, put):
    receiver.on("/1", status(410))
    put(receiver.url("/2"), beside=put(receiver.url("/1")))
    delivery.deliver_due()
    assert _sent(receiver) == ["/1", "/2"]


def test_it_sends_the_final_one_instead_of_older_ones(receiver, put, clock):
    receiver.on("/1", status(500))
    first = put(receiver.url("/1"))
    delivery.deliver_due()
    put(receiver.url("/final"), beside=first, terminal=True)
    clock.forward(10)
    delivery.deliver_due()
    assert _sent(receiver) == ["/1", "/final"]
    first.refresh_from_db()
    assert (first.state, first.next_try_at) == (DeliveryState.SUPERSEDED, None)


def test_it_does_not_send_older_ones_while_the_final_one_is_retried(
    receiver, put, clock
):
    receiver.on("/final", status(500), ok())
    first = put(receiver.url("/1"))
    put(receiver.url("/final"), beside=first, terminal=True)
    for _ in range(2):
        delivery.deliver_due()
        clock.forward(10)
    assert _sent(receiver) == ["/final", "/final"]


def test_it_waits_with_the_final_one_for_the_one_in_flight(receiver, put, clock):
    first = put(receiver.url("/1"))
    in_flight = claim(clock())
    final = put(receiver.url("/final"), beside=first, terminal=True)
    assert claim(clock()) is None
    _fail(in_flight, clock)
    assert claim(clock()) == final
    first.refresh_from_db()
    assert first.state == DeliveryState.SUPERSEDED


def test_it_has_one_in_flight_per_task(receiver, put, clock):
    first = put(receiver.url("/1"))
    second = put(receiver.url("/2"), beside=first)
    delivery.deliver_due()
    delivery.replay(second.pk, by="desk:ann")
    assert claim(clock()) == second
    delivery.replay(first.pk, by="desk:ann")
    assert claim(clock()) is None


def test_it_lets_the_final_one_win_over_one_whose_courier_died(receiver, put, clock):
    first = put(receiver.url("/1"))
    dead_couriers = claim(clock())
    final = put(receiver.url("/final"), beside=first, terminal=True)
    clock.forward(60)
    assert claim(clock()) == final
    late = Verdict(state=DeliveryState.DELIVERED)
    now = clock()
    assert not record(dead_couriers, Reply(status=200), late, started_at=now, now=now)
