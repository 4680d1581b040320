"""Values come back from either database as what they were."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from tasks_app import ledger
from tests.factories import row, submitted
from tests.tasks.ledger.planning import begun, complete

VALUES = [
    pytest.param("", id="empty text"),
    pytest.param("Grüße, 世界 🌍 \u200f\u2028", id="unicode"),
    pytest.param('quote " back \\ slash \n \t %s {} $.x', id="syntax"),
    pytest.param("x" * 200_000, id="long"),
    pytest.param(None, id="null"),
    pytest.param(True, id="true"),
    pytest.param([], id="empty list"),
    pytest.param({}, id="empty object"),
    pytest.param({"a": [1, {"b": [None, {"": []}]}]}, id="nested"),
    pytest.param({"": 1, "a.b": 2, "$": 3, "'": 4, "é": 5}, id="keys"),
    pytest.param(0.1 + 0.2, id="float"),
    pytest.param(1e-300, id="tiny"),
    # jsonb gives it back as a whole number; 1e22 is the last one that both can say.
    pytest.param(1e22, id="large"),
    pytest.param(-0.5, id="negative"),
    pytest.param(2**63, id="over 64 bits"),
    pytest.param(-(10**309 - 1), id="309 digits"),
    pytest.param("0", id="digits as text"),
    pytest.param("null", id="null as text"),
]


def stored_payload(task):
    found = ledger.candidates("default", ["probe_echo"], now=timezone.now(), limit=1)
    assert found[0].task.id == task.id
    return found[0].payload


@pytest.mark.parametrize("value", VALUES)
def test_it_keeps_a_payload(caller, value):
    task = submitted(caller, payload={"value": value})
    assert stored_payload(task) == {"value": value}
    assert row(task).payload == {"value": value}
    assert row(task).messages.get().payload["payload"] == {"value": value}


@pytest.mark.parametrize("value", VALUES)
def test_it_keeps_a_result(caller, value):
    task = begun(submitted(caller))
    ledger.commit([complete(task, {"value": value})])
    assert row(task).result == {"value": value}


@pytest.mark.parametrize("value", VALUES)
def test_it_keeps_a_step(caller, value):
    task = begun(submitted(caller))
    ledger.record_step(
        task_id=task.id,
        attempt=1,
        position=0,
        name="Schritt ½",
        value=value,
        now=timezone.now(),
    )
    entry = ledger.load_journal(task.id)[0]
    assert (entry.name, entry.value) == ("Schritt ½", value)


def test_it_keeps_whole_numbers_and_fractions_apart(caller):
    submitted(caller, payload={"whole": 1, "fraction": 1.0, "flag": True})
    found = ledger.candidates("default", ["probe_echo"], now=timezone.now(), limit=1)
    kinds = {name: type(value) for name, value in found[0].payload.items()}
    assert kinds == {"whole": int, "fraction": float, "flag": bool}


@pytest.mark.parametrize("microsecond", [0, 1, 999_999])
def test_it_keeps_moments_to_the_microsecond(caller, microsecond):
    task = begun(submitted(caller))
    until = datetime(2030, 1, 2, 3, 4, 5, microsecond, tzinfo=UTC)
    ledger.renew(task.id, 1, until)
    loaded = ledger.load(task.id)
    assert loaded is not None
    assert loaded.leased_until == until
    assert row(task).leased_until == until


def test_it_compares_moments_as_moments(caller):
    """A whole second has no fraction in SQLite's text, and must still sort right."""
    task = begun(submitted(caller))
    at = datetime(2020, 1, 1, 0, 0, 10, tzinfo=UTC)
    ledger.renew(task.id, 1, at)
    one = timedelta(microseconds=1)
    assert ledger.expired_leases(at - one, 10) == []
    assert len(ledger.expired_leases(at, 10)) == 1
    assert len(ledger.expired_leases(at + one, 10)) == 1


def test_it_keeps_empty_and_absent_text_apart(caller):
    absent, empty = submitted(caller), submitted(caller, external_task_id="")
    assert row(absent).external_task_id is None
    assert row(empty).external_task_id == ""


@pytest.mark.parametrize("wanted", [(), ("progress",), ("progress", "action_required")])
def test_it_keeps_which_callbacks_are_wanted(caller, wanted):
    task = submitted(caller, callback_events=wanted)
    loaded = ledger.load(task.id)
    assert loaded is not None
    assert loaded.callback_events == wanted
