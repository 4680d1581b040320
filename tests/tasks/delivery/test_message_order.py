"""Messages: in order per task and peer; who cannot be called holds up nobody else."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tasks_app import delivery, queue
from tasks_app.delivery import looking
from tasks_app.delivery.advancing import advance
from tasks_app.delivery.due import queue_of
from tasks_app.models import Delivery
from tests.receiver import status
from tests.tasks.delivery.claims import claim
from tests.tasks.delivery.letters import Friend, letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def friend(receiver) -> Friend:
    friend = Friend("friend", receiver.url("/friend"))
    receiver.on("/friend", friend.acks())
    return friend


@pytest.fixture
def quiet(db: None) -> Friend:
    """A peer that cannot be called."""
    return Friend("quiet")


@pytest.fixture
def task_id(submit, receiver):
    return submit(receiver.url("/hook"))


def _sent(receiver) -> list[str]:
    return [request.headers["webhook-id"] for request in receiver.requests]


def _states(*rows: Delivery) -> list[str]:
    for row in rows:
        row.refresh_from_db()
    return [row.state for row in rows]


def test_it_sends_the_messages_of_a_task_in_order(receiver, friend, task_id) -> None:
    first = letter(friend, task_id=task_id)
    second = letter(friend, beside=first)
    third = letter(friend, beside=second)
    delivery.deliver_due()
    assert _sent(receiver) == [str(row.pk) for row in (first, second, third)]


def test_it_holds_back_what_follows_a_failed_one(
    receiver, friend, task_id, clock
) -> None:
    receiver.on("/friend", status(500), friend.acks())
    first = letter(friend, task_id=task_id)
    second = letter(friend, beside=first)
    delivery.deliver_due()
    assert _sent(receiver) == [str(first.pk)]
    clock.forward(10)
    delivery.deliver_due()
    assert _sent(receiver)[1:] == [str(first.pk), str(second.pk)]


def test_it_goes_on_behind_a_dead_one(receiver, friend, task_id) -> None:
    receiver.on("/friend", friend.nacks(2003), friend.acks())
    first = letter(friend, task_id=task_id)
    second = letter(friend, beside=first)
    delivery.deliver_due()
    assert _states(first, second) == ["dead", "delivered"]


def test_it_does_not_wait_for_what_a_former_executor_did_not_take(
    friend, quiet, task_id
) -> None:
    former = letter(quiet, task_id=task_id)
    present = letter(friend, beside=former)
    delivery.deliver_due()
    assert _states(former, present) == ["waiting", "delivered"]


def test_it_does_not_mix_messages_and_callbacks_of_a_task(
    receiver, friend, put
) -> None:
    receiver.on("/hook", status(500))
    callback = put(receiver.url("/hook"))
    message = letter(friend, beside=callback)
    delivery.deliver_due()
    assert _states(callback, message) == ["waiting", "delivered"]


def test_it_limits_the_messages_in_flight_to_one_peer_g24(
    receiver, friend, clock, settings
) -> None:
    settings.SYNAPSE_CALLBACK_PER_ENDPOINT = 2
    other = Friend("other", receiver.url("/other"))
    letters = [letter(friend) for _ in range(3)]
    claimed = {claim(clock()).pk for _ in range(2)}
    assert claimed < {row.pk for row in letters}
    assert claim(clock()) is None
    assert claim(clock()) is None
    free = letter(other)
    assert claim(clock()).pk == free.pk


def test_it_parks_what_cannot_be_sent(receiver, quiet, clock) -> None:
    row = letter(quiet)
    delivery.deliver_due()
    row.refresh_from_db()
    assert (row.state, row.next_try_at, row.tries) == ("waiting", None, 0)
    assert not delivery.anything_due(clock())


def test_it_parks_what_is_for_a_disabled_peer(receiver, friend) -> None:
    row = letter(friend)
    friend.change(state="disabled")
    delivery.deliver_due()
    row.refresh_from_db()
    assert (row.state, row.next_try_at, receiver.connections) == ("waiting", None, 0)


def test_it_sends_to_a_draining_peer(friend) -> None:
    row = letter(friend)
    friend.change(state="draining")
    delivery.deliver_due()
    assert _states(row) == ["delivered"]


def test_it_sends_what_was_parked_once_there_is_an_endpoint(
    receiver, quiet, bells, django_capture_on_commit_callbacks
) -> None:
    row = letter(quiet)
    delivery.deliver_due()
    receiver.on("/quiet", quiet.acks())
    peer = quiet.change(endpoint=receiver.url("/quiet"))
    with django_capture_on_commit_callbacks(execute=True):
        delivery.wake(peer)
    assert [bell[0] for bell in bells] == [queue.DELIVER]
    delivery.deliver_due()
    assert _states(row) == ["delivered"]


def test_it_sends_what_waits_for_a_later_try_when_woken(receiver, friend) -> None:
    receiver.on("/friend", status(500), friend.acks())
    row = letter(friend)
    delivery.deliver_due()
    delivery.wake(friend.row)
    delivery.deliver_due()
    assert _states(row) == ["delivered"]


def test_it_finds_by_itself_who_can_be_called_by_now(receiver, quiet, clock) -> None:
    row = letter(quiet)
    delivery.deliver_due()
    receiver.on("/quiet", quiet.acks())
    quiet.change(endpoint=receiver.url("/quiet"))
    assert delivery.anything_due(clock())  # So the sweep rings.
    delivery.deliver_due()
    assert _states(row) == ["delivered"]


def test_it_leaves_the_messages_of_others_alone_when_one_wakes(friend, quiet) -> None:
    row = letter(quiet)
    delivery.deliver_due()
    delivery.wake(friend.row)
    row.refresh_from_db()
    assert row.next_try_at is None


def test_it_is_not_put_aside_by_who_looked_before_its_turn_came(
    friend, task_id
) -> None:
    """Somebody reads that it waits behind the first one, which then is done with."""
    first = letter(friend, task_id=task_id)
    second = letter(friend, beside=first)
    looked_at = timezone.now()
    Delivery.objects.filter(pk=first.pk).update(state="delivered")
    assert advance(queue_of(first))
    looking._put_aside({second.pk: looked_at + timedelta(seconds=60)}, looked_at)
    second.refresh_from_db()
    assert second.next_try_at <= timezone.now()
