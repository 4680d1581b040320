"""Our courier against our own inbox over real HTTP: both ends mean the same."""

from ipaddress import ip_network

import pytest
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol import ids, signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.payloads import CapabilityQuery, Payload, TaskCancel
from tasks_app import delivery
from tasks_app.api.addresses import PREFIX
from tasks_app.models import Delivery, Received
from tasks_app.secrets import vault
from tests.api.a2a.speaking import NODE


@pytest.fixture
def ourselves(live_server, settings) -> Agent:
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = (ip_network("127.0.0.0/8"),)
    return Agent.objects.create(
        id=NODE.removeprefix("agent:"),
        endpoint=f"{live_server.url}{PREFIX}/a2a/messages",
        secrets=[vault().seal(signing.new_secret())],
    )


def _sent(peer: Agent, words: Payload) -> Delivery:
    now = timezone.now()
    envelope = Envelope.carrying(
        words,
        message_id=ids.new_message_id(),
        sender=NODE,
        recipient=NODE,
        timestamp=now,
    )
    row = Delivery.objects.create(
        id=envelope.message_id,
        kind="message",
        peer=peer,
        sequence=0,
        event=envelope.type,
        terminal=False,
        url="",
        endpoint=peer.address,
        body=envelope.to_bytes().decode(),
        next_try_at=now,
        created_at=now,
    )
    delivery.deliver_due()
    row.refresh_from_db()
    return row


def test_it_takes_its_own_ack_for_one(ourselves) -> None:
    row = _sent(ourselves, CapabilityQuery())
    assert row.state == "delivered"
    assert Received.objects.filter(message_id=str(row.pk), code=None).exists()


def test_it_takes_its_own_nack_for_one(ourselves) -> None:
    row = _sent(ourselves, TaskCancel(task_id="nope"))
    assert (row.state, row.attempts.get().error) == ("dead", "nack 2001")


def test_it_goes_on_trying_while_its_secret_is_not_known(ourselves) -> None:
    sealed = ourselves.secrets
    Agent.objects.update(state="draining", secrets=["damaged"])
    row = _sent(ourselves, CapabilityQuery())
    assert (row.state, row.attempts.get().status) == ("waiting", 401)
    Agent.objects.update(secrets=sealed)
    delivery.wake(ourselves)
    delivery.deliver_due()
    row.refresh_from_db()
    assert row.state == "delivered"
