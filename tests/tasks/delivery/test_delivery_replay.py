"""G21: an operator sends a callback again."""

import logging
from datetime import timedelta

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.ids import new_id
from tasks_app import delivery, queue
from tasks_app.models import Delivery, DeliveryState
from tests.receiver import gone, ok, status
from tests.tasks.delivery.claims import claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def dead(receiver, put):
    receiver.on("/", gone(), ok())
    row = put(receiver.url())
    delivery.deliver_due()
    row.refresh_from_db()
    assert row.state == DeliveryState.DEAD
    return row


def test_it_sends_a_dead_one_again_under_its_id(dead, receiver):
    delivery.replay(dead.pk, by="desk:ann")
    delivery.deliver_due()
    dead.refresh_from_db()
    assert dead.state == DeliveryState.DELIVERED
    ids = [request.headers["webhook-id"] for request in receiver.requests]
    assert ids == [str(dead.pk)] * 2
    assert receiver.requests[-1].headers["x-synapse-delivery-attempt"] == "2"


@pytest.mark.parametrize("state", ["delivered", "superseded", "waiting"])
def test_it_sends_any_other_one_again(state, dead, receiver):
    Delivery.objects.update(state=state)
    delivery.replay(dead.pk, by="desk:ann")
    delivery.deliver_due()
    assert len(receiver.requests) == 2


def test_it_begins_the_schedule_anew(dead, receiver, clock):
    receiver.on("/", status(500))
    Delivery.objects.update(tries=10)
    delivery.replay(dead.pk, by="desk:ann")
    delivery.deliver_due()
    dead.refresh_from_db()
    assert (dead.state, dead.tries, dead.ended_at) == ("waiting", 11, None)
    assert dead.next_try_at <= clock() + timedelta(seconds=6)


def test_it_rings_the_courier_and_says_who_asked(
    dead, bells, caplog, django_capture_on_commit_callbacks
):
    caplog.set_level(logging.INFO)
    with django_capture_on_commit_callbacks(execute=True):
        delivery.replay(dead.pk, by="desk:ann")
    assert [bell[0] for bell in bells] == [queue.DELIVER]
    assert f"{dead.pk} is sent again, as desk:ann asked" in caplog.text


def test_it_refuses_an_unknown_id(db):
    with pytest.raises(SynapseError) as refused:
        delivery.replay(new_id(), by="desk:ann")
    assert refused.value.spec.http_status == 404


def test_it_does_not_interfere_with_one_in_flight(dead, clock):
    delivery.replay(dead.pk, by="desk:ann")
    claimed = claim(clock())
    with pytest.raises(SynapseError) as refused:
        delivery.replay(dead.pk, by="desk:bob")
    assert refused.value.code == Code.CHANGED_MEANWHILE
    dead.refresh_from_db()
    assert dead.leased_until == claimed.leased_until
