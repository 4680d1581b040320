"""G21 over real HTTP: what the rows say after each try, and which bells ring."""

from datetime import timedelta

import pytest

from tasks_app import delivery, queue
from tasks_app.delivery import courier
from tasks_app.models import DeliveryState, Task
from tests.receiver import gone, ok, reset, slow_down, status

pytestmark = pytest.mark.django_db


def _after_one_round(row):
    delivery.deliver_due()
    row.refresh_from_db()
    return row


def test_it_tries_again_until_it_is_delivered(receiver, put, clock):
    receiver.on("/", status(500), status(502), ok())
    row = put(receiver.url())
    for wait in (6, 360, 0):
        _after_one_round(row)
        clock.forward(wait)
    assert row.state == DeliveryState.DELIVERED
    assert (row.tries, row.next_try_at, row.leased_until) == (3, None, None)
    assert row.ended_at is not None
    statuses = [attempt.status for attempt in row.attempts.all()]
    assert statuses == [500, 502, 200]
    numbers = [r.headers["x-synapse-delivery-attempt"] for r in receiver.requests]
    assert numbers == ["1", "2", "3"]


def test_it_does_not_try_again_before_its_time(receiver, put, clock):
    receiver.on("/", status(500))
    before = clock()
    row = _after_one_round(put(receiver.url()))
    wait = timedelta(seconds=5)
    assert before + wait * 0.8 <= row.next_try_at <= clock() + wait * 1.2
    _after_one_round(row)
    assert row.tries == 1


def test_it_ends_as_dead_when_the_schedule_is_exhausted(receiver, put, clock, settings):
    settings.SYNAPSE_CALLBACK_SCHEDULE = (0, 5)
    receiver.on("/", status(500))
    row = put(receiver.url())
    for _ in range(3):
        _after_one_round(row)
        clock.forward(10)
    assert (row.state, row.tries, row.next_try_at) == ("dead", 2, None)
    assert row.ended_at is not None
    assert len(receiver.requests) == 2


def test_it_stops_at_410(receiver, put):
    receiver.on("/", gone())
    row = _after_one_round(put(receiver.url()))
    assert (row.state, row.attempts.get().status) == ("dead", 410)


def test_it_waits_as_long_as_retry_after_says(receiver, put, clock):
    receiver.on("/", slow_down(3600))
    row = _after_one_round(put(receiver.url()))
    left = row.next_try_at - clock()
    assert timedelta(seconds=3590) < left <= timedelta(seconds=3600)


def test_it_notes_why_nothing_was_answered(receiver, put):
    receiver.on("/", reset())
    row = _after_one_round(put(receiver.url()))
    attempt = row.attempts.get()
    assert (row.state, attempt.status, attempt.error) == ("waiting", None, "reset")


def test_it_keeps_some_of_the_answer_as_harmless_text(receiver, put):
    receiver.on("/", status(500, body=b"\0why \xff" + b"x" * 9000))
    row = _after_one_round(put(receiver.url()))
    kept = row.attempts.get().response
    assert kept.startswith("why �x")
    assert len(kept) <= 4096


def test_it_opens_no_socket_to_a_refused_address_g25(receiver, put, settings):
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = ()
    row = _after_one_round(put(receiver.url()))
    assert (row.state, row.attempts.get().error) == ("dead", "refused_address")
    assert receiver.connections == 0


def test_it_goes_on_after_a_secret_that_cannot_be_opened(receiver, put):
    broken, whole = put(receiver.url(), token="t"), put(receiver.url("/whole"))
    Task.objects.filter(pk=broken.task_id).update(callback_token="damaged")
    _after_one_round(broken)
    assert (broken.state, broken.attempts.get().error) == ("waiting", "internal")
    assert broken.next_try_at > broken.created_at + timedelta(seconds=4)
    whole.refresh_from_db()
    assert whole.state == DeliveryState.DELIVERED


def test_it_rings_for_a_retry_that_is_near(
    receiver, put, bells, django_capture_on_commit_callbacks
):
    receiver.on("/", status(500))
    put(receiver.url())
    with django_capture_on_commit_callbacks(execute=True):
        delivery.deliver_due()
    ((job, _, lane, in_seconds),) = bells
    assert (job, lane) == (queue.DELIVER, queue.COURIER)
    assert 3 < in_seconds <= 6


def test_it_leaves_a_far_retry_to_the_sweep(
    receiver, put, bells, clock, django_capture_on_commit_callbacks
):
    receiver.on("/", slow_down(90))
    put(receiver.url())
    with django_capture_on_commit_callbacks(execute=True):
        delivery.deliver_due()
    assert bells == []
    assert not delivery.anything_due(clock())
    clock.forward(91)
    assert delivery.anything_due(clock())


def test_it_takes_the_bell_down_before_it_looks(put, receiver, monkeypatch):
    seen = []
    monkeypatch.setattr(queue, "courier_heard", lambda: seen.append("heard"))
    monkeypatch.setattr(
        courier, "claim_next", lambda now, threads: seen.append("looked")
    )
    delivery.deliver_due()
    assert seen == ["heard", "looked"]


def test_it_wakes_another_courier_before_it_sends(
    receiver, put, bells, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(courier, "_WORK_SECONDS", 0)
    put(receiver.url()), put(receiver.url())
    with django_capture_on_commit_callbacks(execute=True):
        delivery.deliver_due()
    assert len(receiver.requests) == 1
    assert [bell[0] for bell in bells] == [queue.DELIVER] * 2  # Before, and at its end.
