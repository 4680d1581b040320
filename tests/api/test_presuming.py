"""A submit presumes whose its key is, and still lets nobody in who is not (G54)."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tasks_app import callers
from tasks_app.api import auth
from tasks_app.models import Caller, CallerKey, Message, Task
from tests.api.conftest import Program, error_of

BODY = {"task_type": "probe_echo", "payload": {"a": 1}}


def _revoke() -> None:
    callers.revoke_key(CallerKey.objects.get())


def _disable() -> None:
    Caller.objects.update(enabled=False)


def _expire() -> None:
    CallerKey.objects.update(expiry_date=timezone.now() - timedelta(seconds=1))


def _delete() -> None:
    CallerKey.objects.all().delete()


ENDS = [_revoke, _disable, _expire, _delete]


@pytest.fixture
def known(program: Program) -> Program:
    """A program whose key this process has seen to be good."""
    program.submit()
    return program


@pytest.mark.parametrize("end", ENDS)
def test_it_takes_no_task_for_a_key_that_is_good_no_longer_g54(
    known: Program, end: Callable[[], None]
) -> None:
    end()
    assert error_of(known.post("/task", BODY), 401)["code"] == 5002
    assert Task.objects.count() == Message.objects.count() == 1


@pytest.mark.parametrize(
    "body", ["{", "[]", '{"task_type": "nothing", "payload": {}}', "{}"]
)
def test_it_tells_only_callers_what_is_wrong_g54(known: Program, body: str) -> None:
    assert known.send("POST", "/task", body).status_code in (400, 404, 422)
    _revoke()
    assert error_of(known.send("POST", "/task", body), 401)["code"] == 5002


def test_it_replays_nothing_for_a_revoked_key_g54(known: Program) -> None:
    first = known.post("/task", BODY, Idempotency_Key="k")
    assert first.status_code == 202
    _revoke()
    again = known.post("/task", BODY, Idempotency_Key="k")
    assert error_of(again, 401)["code"] == 5002


def test_it_takes_a_key_that_is_good_again(known: Program) -> None:
    _disable()
    assert known.post("/task", BODY).status_code == 401
    Caller.objects.update(enabled=True)
    assert known.post("/task", BODY).status_code == 202


def test_it_notices_that_a_key_has_another_caller(
    known: Program, stranger_key: str
) -> None:
    stranger = CallerKey.objects.get(prefix=stranger_key[:8]).caller
    CallerKey.objects.exclude(caller=stranger).update(caller=stranger)
    task_id = known.submit()
    assert Task.objects.get(pk=task_id).caller == stranger


def test_it_presumes_nothing_of_other_keys_g54(known: Program, api_key: str) -> None:
    for almost in (f"{api_key[:9]}{'x' * 32}", api_key + "x", api_key.swapcase()):
        assert error_of(Program(almost).post("/task", BODY), 401)["code"] == 5002


def test_it_keeps_no_key_in_memory_g54(known: Program, api_key: str) -> None:
    secret = api_key.partition(".")[2]
    assert auth._presumed
    assert secret not in repr(auth._presumed)


def test_it_forgets_rather_than_grows(
    known: Program, stranger_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auth, "_MOST_PRESUMED", len(auth._presumed))
    Program(stranger_key).submit()
    assert len(auth._presumed) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has no writes in a WITH clause"
)
@pytest.mark.parametrize("key", [None, "k"])
def test_it_submits_in_one_statement_p1(known: Program, key: str | None) -> None:
    headers = {"Idempotency_Key": key} if key else {}
    with CaptureQueriesContext(connection) as captured:
        assert known.post("/task", BODY, **headers).status_code == 202
    assert [query["sql"].split(" ", 1)[0] for query in captured] == ["WITH"]
