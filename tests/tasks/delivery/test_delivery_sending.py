"""What a receiver gets: the stored bytes, signed, and the token in its header only."""

import logging
from datetime import UTC, datetime

import pytest

from agents_app.protocol import signing
from tasks_app import delivery
from tasks_app.models import Caller, Delivery
from tasks_app.secrets import vault
from tests.receiver import Receiver, redirect

pytestmark = pytest.mark.django_db
TOKEN = "Bearer not-for-any-log"


def _one(receiver):
    (request,) = receiver.requests
    return request


def test_it_sends_the_stored_bytes(receiver, put):
    put(receiver.url("/hook?a=1"), body='{"b": 1.0,  "a": "é\\u00e9"}')
    delivery.deliver_due()
    request = _one(receiver)
    assert (request.method, request.path) == ("POST", "/hook?a=1")
    assert request.headers["content-type"] == "application/json"
    assert request.body == '{"b": 1.0,  "a": "é\\u00e9"}'.encode()


def test_it_signs_with_the_secret_of_the_caller(receiver, put, caller):
    sent = put(receiver.url(), body='{"a": 1}')
    delivery.deliver_due()
    request = _one(receiver)
    secret = vault().open(caller.callback_secret)
    said = signing.verify(
        request.headers, request.body, [secret], now=datetime.now(UTC)
    )
    assert said == str(sent.pk)


def test_it_sends_without_a_signature_when_the_caller_has_no_secret(receiver, put):
    Caller.objects.update(callback_secret="")
    sent = put(receiver.url())
    delivery.deliver_due()
    request = _one(receiver)
    assert request.headers["webhook-id"] == str(sent.pk)
    assert "webhook-signature" not in request.headers


def test_it_sends_the_token_in_its_header(receiver, put):
    put(receiver.url(), token=TOKEN)
    delivery.deliver_due()
    assert _one(receiver).headers["x-callback-token"] == TOKEN


def test_it_sends_no_token_header_without_a_token(receiver, put):
    put(receiver.url())
    delivery.deliver_due()
    assert "x-callback-token" not in _one(receiver).headers


def test_it_never_logs_or_keeps_the_token_g27(receiver, put, caplog):
    caplog.set_level(logging.DEBUG)
    sent = put(receiver.url("/broken"), token=TOKEN)
    receiver.on("/broken", redirect("/elsewhere"))
    delivery.deliver_due()
    assert _one(receiver).headers["x-callback-token"] == TOKEN
    kept = [*Delivery.objects.values(), *sent.attempts.values()]
    assert TOKEN not in caplog.text + str(kept)


def test_it_follows_no_redirect_g26(receiver, put):
    with Receiver() as elsewhere:
        receiver.on("/moved", redirect(elsewhere.url(), 308))
        sent = put(receiver.url("/moved"), token=TOKEN)
        delivery.deliver_due()
        assert elsewhere.connections == 0
    sent.refresh_from_db()
    assert (sent.state, sent.attempts.get().status) == ("waiting", 308)


def test_it_brings_a_finished_task_to_its_caller(receiver, submit, drain):
    task_id = submit(receiver.url(), token=TOKEN)
    drain()
    delivery.deliver_due()
    event = _one(receiver).json()
    assert event["task_id"] == str(task_id)
    assert (event["status"], event["progress"]) == ("completed", 100)
