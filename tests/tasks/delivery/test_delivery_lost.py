"""G20: couriers that die or are halted between claiming, sending and recording."""

import pytest

from agents_app.outbound import Reply
from tasks_app import delivery
from tasks_app.delivery import courier
from tasks_app.delivery.claiming import claim_next
from tasks_app.delivery.judging import Verdict
from tasks_app.delivery.recording import record
from tasks_app.models import DeliveryState
from tests.tasks.delivery.claims import claim

pytestmark = pytest.mark.django_db
LEASE = 26


class Killed(BaseException):
    """Ends a courier wherever it is."""


def _die(*_, **__):
    raise Killed


def test_it_sends_again_under_the_same_id_after_a_kill_g20(
    receiver, put, clock, monkeypatch
):
    row = put(receiver.url())
    with monkeypatch.context() as patch:
        patch.setattr(courier, "record", _die)
        with pytest.raises(Killed):
            delivery.deliver_due()
    clock.forward(LEASE)
    delivery.deliver_due()
    first, second = (request.headers for request in receiver.requests)
    assert first["webhook-id"] == second["webhook-id"] == str(row.pk)
    assert first["x-synapse-delivery-attempt"] == "1"
    assert second["x-synapse-delivery-attempt"] == "2"
    later = int(second["webhook-timestamp"]) - int(first["webhook-timestamp"])
    assert later >= LEASE
    row.refresh_from_db()
    assert row.state == DeliveryState.DELIVERED


def test_it_leaves_a_leased_one_alone(receiver, put, clock):
    put(receiver.url())
    assert claim(clock()) is not None
    clock.forward(LEASE - 2)
    assert not delivery.anything_due(clock())
    assert claim(clock()) is None


def test_it_is_due_again_when_the_lease_has_expired(receiver, put, clock):
    put(receiver.url())
    claim(clock())
    clock.forward(LEASE)
    assert delivery.anything_due(clock())


def test_it_records_a_late_try_without_changing_the_outcome(receiver, put, clock):
    row = put(receiver.url())
    zombie = claim(clock())
    clock.forward(LEASE)
    delivery.deliver_due()
    dead, now = Verdict(state=DeliveryState.DEAD), clock()
    assert not record(zombie, Reply(status=410), dead, started_at=now, now=now)
    row.refresh_from_db()
    assert row.state == DeliveryState.DELIVERED
    tries = [(attempt.number, attempt.status) for attempt in row.attempts.all()]
    assert tries == [(1, 410), (2, 200)]


def test_it_ignores_a_late_outcome_while_another_is_sending(put, clock):
    row = put("http://one.test/")
    zombie = claim(clock())
    clock.forward(LEASE)
    second = claim(clock())
    dead, now = Verdict(state=DeliveryState.DEAD), clock()
    assert not record(zombie, Reply(status=410), dead, started_at=now, now=now)
    row.refresh_from_db()
    assert (row.state, row.leased_until) == ("waiting", second.leased_until)


def test_it_ignores_a_late_outcome_after_a_replay(put, clock):
    row = put("http://one.test/")
    zombie = claim(clock())
    clock.forward(LEASE)
    delivery.replay(row.pk, by="desk:ann")
    dead, now = Verdict(state=DeliveryState.DEAD), clock()
    assert not record(zombie, Reply(status=410), dead, started_at=now, now=now)
    assert delivery.anything_due(clock())


def test_it_does_not_send_after_it_was_halted(receiver, put, clock, monkeypatch):
    put(receiver.url())

    def claim_and_halt(now, threads):
        claimed = claim_next(now, threads)
        clock.forward(LEASE / 2)
        return claimed

    with monkeypatch.context() as patch:
        patch.setattr(courier, "claim_next", claim_and_halt)
        delivery.deliver_due()
    assert receiver.connections == 0
    clock.forward(LEASE)
    delivery.deliver_due()
    assert len(receiver.requests) == 1


def test_it_gives_up_a_callback_that_kills_every_courier(
    receiver, put, clock, settings
):
    settings.SYNAPSE_CALLBACK_SCHEDULE = (0, 1)
    row = put(receiver.url())
    for _ in range(2):
        assert claim(clock()) == row
        clock.forward(LEASE)
    delivery.deliver_due()
    row.refresh_from_db()
    assert (row.state, row.attempts.get().error) == ("dead", "lost")
    assert receiver.connections == 0


def test_it_goes_on_when_an_outcome_cannot_be_recorded(receiver, put, monkeypatch):
    unlucky, lucky = put(receiver.url("/a")), put(receiver.url("/b"))

    def fail_for_one(claimed, *rest, **named):
        if claimed == unlucky:
            raise ValueError("unstorable")
        return record(claimed, *rest, **named)

    monkeypatch.setattr(courier, "record", fail_for_one)
    delivery.deliver_due()
    lucky.refresh_from_db()
    assert lucky.state == DeliveryState.DELIVERED


def test_it_sends_the_final_one_when_the_courier_of_an_older_one_is_known_to_be_dead(
    receiver, put, clock
):
    """It was put aside meanwhile, and nobody is left to bring it back."""
    older = put(receiver.url("/older"))
    assert claim(clock()) is not None
    put(receiver.url("/final"), beside=older, terminal=True)
    delivery.deliver_due()
    clock.forward(LEASE)
    delivery.deliver_due()
    assert [request.path for request in receiver.requests] == ["/final"]
