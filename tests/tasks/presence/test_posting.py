"""What is dropped from the outbox is not what somebody is at work on."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agents_app import outbound
from agents_app.outbound import Reply
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import ErrorObject
from tasks_app import delivery, presence
from tasks_app.models import Delivery, DeliveryAttempt
from tests.tasks.racing import Beside

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_keeps_a_question_that_is_being_sent_g24(north, monkeypatch):
    """Its try is written down afterwards, beside a row that is there."""

    def ask_again(*_, **__):
        presence.ask(north)
        return Reply(status=200)

    presence.ask(north)
    first = Delivery.objects.get()
    monkeypatch.setattr(outbound, "post", ask_once(ask_again))
    delivery.deliver_due()
    assert Delivery.objects.filter(pk=first.pk).exists()
    assert DeliveryAttempt.objects.filter(delivery=first).exists()


def ask_once(first):
    """The first request runs it, later ones only fail."""
    steps = [first]
    return lambda *a, **k: steps.pop()(*a, **k) if steps else Reply(status=503)


def test_it_lets_a_courier_be_late_for_what_was_dropped(north, monkeypatch, caplog):
    def drop(*_, **__):
        Delivery.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
        presence.ask(north)
        return Reply(status=503)

    presence.ask(north)
    first = Delivery.objects.get()
    monkeypatch.setattr(outbound, "post", ask_once(drop))
    delivery.deliver_due()
    assert not Delivery.objects.filter(pk=first.pk).exists()
    assert f"Delivery {first.pk} is another courier's by now" in caplog.text
    assert "could not be recorded" not in caplog.text


@pytest.mark.skipif(connection.vendor == "sqlite", reason="one writer at a time")
def test_it_drops_no_heartbeat_that_is_being_answered(south):
    presence.beat()
    answered = Delivery.objects.get()
    error = ErrorObject.of(SynapseError(Code.INVALID_FIELD))
    with transaction.atomic():
        delivery.refuse(south, str(answered.pk), error)
        Beside(presence.beat).result()
    assert DeliveryAttempt.objects.get().delivery_id == answered.pk
    assert Delivery.objects.count() == 2
