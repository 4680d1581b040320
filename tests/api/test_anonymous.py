"""Without any key everybody may call, but only until the first key (decision 34)."""

import pytest
from pytest_django.fixtures import Settings

from tasks_app import callers
from tasks_app.models import Caller, CallerKey, Task
from tests.api.conftest import Program, error_of


@pytest.fixture(autouse=True)
def optional_keys(settings: Settings) -> None:
    settings.SYNAPSE_REQUIRE_API_KEY = False


def test_it_lets_everybody_in_while_there_is_no_key(nobody: Program) -> None:
    task_id = nobody.submit()
    assert nobody.task(task_id)["status"] == "received"
    assert Task.objects.get().caller.name == "anonymous"


def test_it_does_not_look_at_keys_that_nobody_made(db: None) -> None:
    assert Program("abcdefgh." + "x" * 32).get("/tasks").status_code == 200


def test_it_needs_a_key_when_told_so(nobody: Program, settings: Settings) -> None:
    settings.SYNAPSE_REQUIRE_API_KEY = True
    assert error_of(nobody.get("/tasks"), 401)["code"] == 5001
    assert not Caller.objects.exists()


def test_it_needs_a_key_once_there_is_one(nobody: Program) -> None:
    nobody.submit()
    _, key = callers.create_caller("acme")
    assert error_of(nobody.get("/tasks"), 401)["code"] == 5001
    assert Program(key).get("/tasks").json()["total"] == 0


def test_it_stays_locked_when_the_last_key_is_revoked(nobody: Program) -> None:
    callers.create_caller("acme")
    callers.revoke_key(CallerKey.objects.get())
    assert error_of(nobody.get("/tasks"), 401)["code"] == 5001


def test_it_stays_locked_when_the_last_key_is_deleted(nobody: Program) -> None:
    callers.create_caller("acme")
    CallerKey.objects.all().delete()
    assert error_of(nobody.get("/tasks"), 401)["code"] == 5001


def test_it_can_shut_everybody_out(nobody: Program) -> None:
    nobody.submit()
    Caller.objects.update(enabled=False)
    assert error_of(nobody.get("/tasks"), 401)["code"] == 5001
