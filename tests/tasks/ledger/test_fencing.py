"""G02: every write of an attempt says which one it is."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from agents_app.protocol import ids
from tasks_app import ledger, lifecycle
from tasks_app.ledger import NewAttachment
from tasks_app.models import Attachment, JournalEntry
from tasks_app.runner import outcomes
from tests.factories import row, submitted
from tests.tasks.ledger.planning import begin, begun, complete
from tests.tasks.racing import beside


def lose(task):
    """Its lease ran out, and the sweep put it back into line."""
    change = outcomes.lost(task, now=timezone.now(), policy=lifecycle.policy())
    ledger.commit([change])
    return change.after


def renew(task):
    until = timezone.now() + timedelta(hours=1)
    return ledger.renew(task.id, task.attempt, until)


def record(task, position=0, value=None):
    return ledger.record_step(
        task_id=task.id,
        attempt=task.attempt,
        position=position,
        name="read",
        value=value,
        now=timezone.now(),
    )


def attach(task):
    file = NewAttachment(
        id=ids.new_id(),
        kind="result",
        name="a.txt",
        content_type="text/plain",
        size=1,
        sha256="0" * 64,
        created_at=timezone.now(),
        position=0,
    )
    return ledger.attach(file, task_id=task.id, attempt=task.attempt)


def drop(task):
    return ledger.drop_unrecorded(task.id, task.attempt)


@pytest.fixture
def task(caller):
    return begun(submitted(caller))


def test_it_renews_the_lease_of_the_live_attempt(task):
    assert renew(task)
    assert row(task).leased_until > task.leased_until
    assert row(task).generation == task.generation


@pytest.mark.parametrize("write", [renew, record, attach])
def test_it_refuses_an_attempt_that_was_declared_lost(task, write):
    lose(task)
    assert not write(task)
    assert row(task).leased_until is None
    assert not JournalEntry.objects.exists()


@pytest.mark.parametrize("write", [renew, record, attach])
def test_it_refuses_an_attempt_after_the_next_one_began(task, write):
    second = begun(lose(task))
    assert not write(task)
    assert write(second)


@pytest.mark.parametrize("write", [renew, record])
def test_it_refuses_an_attempt_whose_task_has_ended(task, write):
    ledger.commit([complete(task)])
    assert not write(task)


def test_it_keeps_a_step_in_the_journal(task):
    assert record(task, value={"total": 1.5})
    entry = ledger.load_journal(task.id)[0]
    assert (entry.position, entry.kind, entry.name) == (0, "step", "read")
    assert entry.value == {"total": 1.5}


def test_it_loads_the_journal_in_the_order_of_the_calls(task):
    for position in (2, 0, 1):
        record(task, position=position)
    assert [entry.position for entry in ledger.load_journal(task.id)] == [0, 1, 2]


def test_it_refuses_the_outcome_of_a_stale_attempt(task):
    lost = complete(task, {"by": "zombie"})
    ledger.commit([begin(lose(task))])
    assert ledger.commit([lost]) == set()
    assert row(task).result is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("write", [renew, record, attach])
def test_it_waits_for_whoever_fences_the_attempt_just_now(task, write):
    """A write that looked before the fence was committed must not count after it."""
    with transaction.atomic():
        lose(task)
        late = beside(lambda: write(task))
        late.wait_until_held_up()
    assert not late.result()
    assert not JournalEntry.objects.exists()
    assert not Attachment.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_it_drops_no_files_for_an_attempt_that_is_fenced_just_now(task):
    attach(task)
    with transaction.atomic():
        lose(task)
        late = beside(lambda: drop(task))
        late.wait_until_held_up()
    assert late.result() == []
    assert Attachment.objects.exists()
