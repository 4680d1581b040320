"""Messages to peers: signed bytes out, and only a signed answer about them counts."""

from datetime import UTC, datetime, timedelta

import pytest

from agents_app.protocol import ids, signing
from tasks_app import delivery
from tasks_app.models import Delivery
from tasks_app.secrets import vault
from tests.receiver import gone, huge, ok, redirect, reset, status
from tests.tasks.delivery.letters import Friend, letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def friend(receiver) -> Friend:
    friend = Friend("friend", receiver.url("/a2a"))
    receiver.on("/a2a", friend.acks())
    return friend


def _after_one_round(row: Delivery) -> Delivery:
    delivery.deliver_due()
    row.refresh_from_db()
    return row


def test_it_is_delivered_by_a_signed_ack(friend) -> None:
    row = _after_one_round(letter(friend))
    assert (row.state, row.next_try_at, row.leased_until) == ("delivered", None, None)
    assert row.attempts.get().status == 200


def test_it_sends_the_stored_bytes_signed_with_the_peers_secret(
    receiver, friend
) -> None:
    row = _after_one_round(letter(friend))
    (request,) = receiver.requests
    assert (request.path, request.body) == ("/a2a", row.body.encode())
    secrets, now = [friend.secret], datetime.now(UTC)
    signed = signing.verify(request.headers, request.body, secrets, now=now)
    assert signed == str(row.pk)


def test_it_signs_with_both_secrets_while_one_is_replaced_g37(receiver, friend) -> None:
    new = signing.new_secret()
    friend.change(secrets=[vault().seal(new), *friend.row.secrets])
    row = _after_one_round(letter(friend))
    (request,) = receiver.requests
    for secret in (new, friend.secret):
        now = datetime.now(UTC)
        assert signing.verify(request.headers, request.body, [secret], now=now)
    assert row.state == "delivered"  # Its answer was signed with the old one.


def test_it_tries_again_under_the_same_id_at_a_new_time(
    receiver, friend, clock
) -> None:
    receiver.on("/a2a", status(500), friend.acks())
    row = _after_one_round(letter(friend))
    assert row.state == "waiting"
    clock.forward(10)
    assert _after_one_round(row).state == "delivered"
    first, second = (request.headers for request in receiver.requests)
    assert first["webhook-id"] == second["webhook-id"] == str(row.pk)
    assert int(second["webhook-timestamp"]) >= int(first["webhook-timestamp"]) + 10


UNCONVINCING = {
    "no body": lambda friend: status(200),
    "no envelope": lambda friend: ok(),
    "unsigned 5007": lambda friend: status(401, body=b'{"type": "p2p:nack"}'),
    "another secret": lambda friend: friend.acks(secret=signing.new_secret()),
    "another message": lambda friend: friend.acks(about="another"),
    "another sender": lambda friend: friend.acks(sender="agent:other"),
    "another recipient": lambda friend: friend.acks(recipient="agent:other"),
    "an ack that failed": lambda friend: friend.acks(status=500),
    "nack of another": lambda friend: friend.nacks(4002, about="another"),
    "nack of a stranger": lambda friend: friend.nacks(
        4002, secret=signing.new_secret()
    ),
    "a redirect": lambda friend: redirect("/elsewhere"),
    "gone": lambda friend: gone(),
    "a reset": lambda friend: reset(),
    "a huge body": lambda friend: huge(1 << 20),
}


@pytest.mark.parametrize("answer", UNCONVINCING.values(), ids=UNCONVINCING)
def test_it_tries_again_after_anything_else(receiver, friend, clock, answer) -> None:
    receiver.on("/a2a", answer(friend), friend.acks())
    row = _after_one_round(letter(friend))
    assert (row.state, row.tries) == ("waiting", 1)
    clock.forward(10)
    assert _after_one_round(row).state == "delivered"


def test_it_says_that_success_without_an_ack_was_none(receiver, friend) -> None:
    receiver.on("/a2a", ok())
    row = _after_one_round(letter(friend))
    assert (row.attempts.get().status, row.attempts.get().error) == (200, "no_ack")


@pytest.mark.parametrize("code", [2001, 4002, 6003, 9123])
def test_it_gives_up_at_once_after_a_signed_nack(receiver, friend, code) -> None:
    receiver.on("/a2a", friend.nacks(code))
    row = _after_one_round(letter(friend))
    assert (row.state, row.next_try_at) == ("dead", None)
    assert row.attempts.get().error == f"nack {code}"


def test_it_waits_as_long_as_a_retryable_nack_says(receiver, friend, clock) -> None:
    receiver.on("/a2a", friend.nacks(4007, 429, retry_after=3000))
    row = _after_one_round(letter(friend))
    assert row.state == "waiting"
    left = row.next_try_at - clock()
    assert timedelta(seconds=2990) < left <= timedelta(seconds=3000)


def test_it_gives_up_when_the_schedule_is_exhausted(
    receiver, friend, clock, settings
) -> None:
    settings.SYNAPSE_CALLBACK_SCHEDULE = (0, 5)
    receiver.on("/a2a", status(500))
    row = letter(friend)
    for _ in range(3):
        _after_one_round(row)
        clock.forward(10)
    assert (row.state, row.tries) == ("dead", 2)


def test_it_opens_no_socket_to_a_refused_address_g25(
    receiver, friend, settings
) -> None:
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = ()
    row = _after_one_round(letter(friend))
    assert (row.state, receiver.connections) == ("dead", 0)


def test_it_goes_to_the_endpoint_that_the_peer_has_now(receiver, friend) -> None:
    row = letter(friend)
    receiver.on("/moved", friend.acks())
    friend.change(endpoint=receiver.url("/moved"))
    assert _after_one_round(row).state == "delivered"
    assert receiver.requests[0].path == "/moved"


def test_it_sends_no_callback_token_to_a_peer(receiver, friend, submit) -> None:
    letter(friend, task_id=submit(receiver.url("/hook"), token="secret-token"))
    delivery.deliver_due()
    (request,) = receiver.wait_for(1, path="/a2a")
    assert "x-callback-token" not in request.headers


def test_it_sends_messages_that_are_about_no_task(receiver, friend) -> None:
    letter(friend), letter(friend)
    delivery.deliver_due()
    assert len(receiver.requests) == 2


def test_it_can_be_sent_again_by_an_operator(receiver, friend) -> None:
    receiver.on("/a2a", friend.nacks(4002), friend.acks())
    row = _after_one_round(letter(friend))
    delivery.replay(row.pk, by="desk:ann")
    assert _after_one_round(row).state == "delivered"


def test_it_acknowledges_what_is_in_flight_only_once(friend) -> None:
    row = letter(friend)
    delivery.acknowledge(friend.row, str(row.pk))
    row.refresh_from_db()
    ended_at = row.ended_at
    delivery.acknowledge(friend.row, str(row.pk))
    delivery.acknowledge(friend.row, ids.new_message_id())
    delivery.acknowledge(friend.row, "no uuid")
    row.refresh_from_db()
    assert (row.state, row.ended_at) == ("delivered", ended_at)
