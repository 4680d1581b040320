"""The sweep and its database: rows that refuse to be healed, and nobody there."""

import pytest
from django.db import OperationalError
from django.utils import timezone

from agents_app.protocol.errors import Code
from tasks_app import ledger
from tasks_app import sweep as sweeping
from tasks_app.models import Delivery
from tasks_app.sweep import sweep
from tests.factories import row, set_row, submitted
from tests.tasks.ledger.planning import begun
from tests.tasks.sweep.aging import HOOK, ago, die


@pytest.fixture(autouse=True)
def outage(monkeypatch):
    """What this process knows: nothing yet."""
    monkeypatch.setattr(sweeping, "_outage", sweeping._Outage())


@pytest.fixture
def away(monkeypatch):
    """The database does not answer one sweep."""
    with monkeypatch.context() as patched:
        patched.setattr(ledger, "overdue", _raise_away)
        with pytest.raises(OperationalError):
            sweep()


def _raise_away(*_):
    raise OperationalError


@pytest.mark.django_db(transaction=True)
def test_it_ends_what_no_row_can_hold(caller):
    """Its callback cannot be written, so it ends without one (G06)."""
    bad, well = (submitted(caller, **HOOK) for _ in range(2))
    Delivery.objects.create(
        task_id=bad.id, sequence=1, terminal=False, created_at=timezone.now()
    )
    for task in (bad, well):
        set_row(task, due_at=ago(1))
    sweep()
    assert row(bad).error["code"] == Code.UNSTORABLE_VALUE
    assert row(well).error["code"] == Code.NOT_STARTED


def test_it_lets_workers_renew_first_when_the_database_was_away(caller, away):
    """Nobody could: their leases say nothing (G05)."""
    task = begun(submitted(caller))
    die(task)
    sweep()
    assert row(task).attempt == 1
    assert row(task).leased_until is not None


def test_it_takes_lost_tasks_back_a_moment_later(caller, away, monkeypatch):
    task = begun(submitted(caller))
    die(task)
    sweep()
    monkeypatch.setattr(sweeping, "_RETURN_SECONDS", 0.0)
    sweep()
    assert row(task).failures == 1


def test_it_knows_by_a_late_answer_that_the_database_was_away(caller, monkeypatch):
    task = begun(submitted(caller))
    die(task)
    monkeypatch.setattr(sweeping, "_LATE_SECONDS", -1.0)
    sweep()
    assert row(task).failures == 0


def test_it_leaves_the_rest_when_nobody_answers(caller, monkeypatch):
    """Waiting for each of two hundred would hold the courier."""
    for _ in range(2):
        set_row(submitted(caller), due_at=ago(1))
    asked = []

    def away(*_, **__):
        asked.append(1)
        raise OperationalError

    monkeypatch.setattr(ledger, "commit", away)
    with pytest.raises(OperationalError):
        sweep()
    assert len(asked) == 1
