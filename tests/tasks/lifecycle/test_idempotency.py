"""G12: safe resubmission under an `Idempotency-Key`."""

from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import lifecycle
from tasks_app.models import Task
from tests.factories import row, set_row, submission, submitted
from tests.tasks.racing import race

DAY = timedelta(hours=24)


def submit(caller, fingerprint="f", key="k"):
    return lifecycle.submit(
        submission(caller, idempotency_key=key, fingerprint=fingerprint)
    )


def test_it_returns_the_first_task_for_a_repeat(caller):
    first, replayed = submit(caller)
    again, was_there = submit(caller)
    assert (replayed, was_there) == (False, True)
    assert again.id == first.id
    assert Task.objects.count() == 1


def test_it_rings_only_for_the_first(caller, bells, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        submit(caller)
        submit(caller)
    assert len(bells) == 1


def test_it_shows_a_repeat_how_far_the_task_is(caller):
    first, _ = submit(caller)
    lifecycle.cancel(first.id, by="caller:1")
    again, _ = submit(caller)
    assert again.state == "cancelled"


def test_it_refuses_another_content_under_the_key(caller):
    first, _ = submit(caller)
    with pytest.raises(SynapseError) as refused:
        submit(caller, fingerprint="other")
    assert refused.value.code is Code.IDEMPOTENCY_CONFLICT
    assert refused.value.details == {"task_id": str(first.id)}


def test_it_scopes_keys_by_caller(caller, other_caller):
    first, _ = submit(caller)
    second, replayed = submit(other_caller, fingerprint="other")
    assert not replayed
    assert second.id != first.id


def test_it_keeps_a_key_for_a_day(caller):
    first, _ = submit(caller)
    set_row(first, created_at=timezone.now() - DAY + timedelta(minutes=1))
    assert submit(caller)[1]


def test_it_sets_a_key_free_after_a_day(caller):
    first, _ = submit(caller)
    set_row(first, created_at=timezone.now() - DAY)
    second, replayed = submit(caller, fingerprint="other")
    assert not replayed
    assert row(first).idempotency_key is None
    assert row(second).idempotency_key == "k"


def test_it_keeps_tasks_without_a_key_apart(caller):
    assert submitted(caller).id != submitted(caller).id


@pytest.mark.django_db(transaction=True)
def test_it_makes_one_task_of_twenty_at_once(caller):
    results = race(*[lambda: submit(caller)] * 20)
    assert len({task.id for task, _ in results}) == 1
    assert sorted(replayed for _, replayed in results) == [False] + [True] * 19


@pytest.mark.django_db(transaction=True)
def test_it_makes_one_task_of_many_at_once_when_the_key_has_expired(caller):
    with override_settings(SYNAPSE_IDEMPOTENCY_SECONDS=3600):
        old, _ = submit(caller)
        set_row(old, created_at=timezone.now() - timedelta(hours=2))
        results = race(*[lambda: submit(caller)] * 6)
    assert {task.id for task, _ in results} == {results[0][0].id}
    assert results[0][0].id != old.id
