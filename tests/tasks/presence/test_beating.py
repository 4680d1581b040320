"""Heartbeats to peers: best effort, one job each, and they never pile up."""

import pytest
from django.utils import timezone

from agents_app import outbound
from agents_app.outbound import Reply, Trouble
from agents_app.protocol import signing
from agents_app.protocol.envelope import Envelope
from tasks_app import delivery, peers, presence
from tasks_app.models import Delivery
from tests.factories import submitted
from tests.tasks.ledger.planning import begun

pytestmark = pytest.mark.django_db


def test_it_rings_once_for_each_peer_that_can_be_called(
    north, south, bells, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        presence.beat()
    assert bells == [("synapse.greet", ["north"], "courier", 0)]


def test_it_leaves_one_heartbeat_in_a_mailbox(south):
    presence.beat()
    first = Delivery.objects.get()
    presence.beat()
    second = Delivery.objects.get()
    assert second.pk != first.pk
    assert (second.peer_id, second.task, second.next_try_at) == ("south", None, None)


def test_it_keeps_no_heartbeat_that_was_read(south):
    presence.beat()
    delivery.acknowledge(south, str(Delivery.objects.get().pk))
    presence.beat()
    assert Delivery.objects.get().state == "waiting"


def test_it_says_nothing_to_a_disabled_peer(
    north, south, bells, posted, django_capture_on_commit_callbacks
):
    peers.disable(north)
    peers.disable(south)
    with django_capture_on_commit_callbacks(execute=True):
        presence.beat()
    presence.greet("north")
    assert bells == posted == []
    assert not Delivery.objects.exists()


def test_it_greets_a_draining_peer(north, posted):
    peers.drain(north)
    presence.greet("north")
    assert len(posted) == 1


def test_it_signs_a_heartbeat_with_every_secret(north, posted):
    old = delivery.secrets_of(north)
    peers.rotate_secret(north)
    presence.greet("north")
    url, body, headers = posted[0]
    envelope = Envelope.from_bytes(body)
    signed = signing.verify(headers, body, old, now=timezone.now())
    assert (url, signed) == (north.endpoint, envelope.message_id)
    assert (envelope.sender, envelope.recipient) == ("agent:synapse", "agent:north")


def test_it_says_how_busy_it_is(north, posted, caller, settings):
    settings.SYNAPSE_MAX_CONCURRENT_TASKS = 1
    begun(submitted(caller))
    presence.greet("north")
    words = Envelope.from_bytes(posted[0][1]).content()
    assert (words.status, words.active, words.capacity) == ("overloaded", 1, 1)


def test_it_writes_nothing_when_a_peer_cannot_be_reached(north, monkeypatch):
    reply = Reply(error=Trouble.TIMEOUT)
    monkeypatch.setattr(outbound, "post", lambda *_, **__: reply)
    presence.greet("north")
    assert not Delivery.objects.exists()


def test_it_waits_for_a_hanging_peer_no_longer_than_five_seconds(north, monkeypatch):
    limits = {}
    monkeypatch.setattr(outbound, "post", lambda *_, **k: limits.update(k) or Reply())
    presence.greet("north")
    assert limits["total_s"] <= 5


def test_it_forgets_a_peer_that_is_gone(posted):
    presence.greet("nobody")
    assert posted == []
