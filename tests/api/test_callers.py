"""Callers and what they hold: the verbs behind the admin and the command line."""

import io
import json
import re

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from agents_app.protocol import signing
from tasks_app import callers
from tasks_app.models import Caller, CallerKey
from tasks_app.secrets import vault
from tests.api.conftest import Program, error_of


def test_it_creates_a_caller_with_a_key_that_works(db: None) -> None:
    caller, key = callers.create_caller("acme")
    assert (caller.name, caller.enabled) == ("acme", True)
    assert Program(key).get("/tasks").status_code == 200


def test_it_seals_the_callback_secret(db: None) -> None:
    caller, _ = callers.create_caller("acme")
    secret = callers.callback_secret(caller)
    signing.check_secret(secret)
    sealed = Caller.objects.get().callback_secret
    assert secret not in sealed
    assert vault().open(sealed) == secret


@pytest.mark.parametrize("name", ["", "x" * 101, "acme"])
def test_it_refuses_names_that_cannot_be_used(caller: Caller, name: str) -> None:
    with pytest.raises(ValidationError):
        callers.create_caller(name)
    assert Caller.objects.count() == 1


def test_it_gives_a_caller_more_keys(caller: Caller, api_key: str) -> None:
    key, clear = callers.create_key(caller, "x" * 60)
    assert (key.caller, key.name) == (caller, "x" * 50)
    for one in (api_key, clear):
        assert Program(one).get("/tasks").status_code == 200


def test_it_revokes_one_key_only(caller: Caller, api_key: str) -> None:
    key, clear = callers.create_key(caller, "second")
    callers.revoke_key(key)
    assert CallerKey.objects.get(pk=key.pk).revoked
    error_of(Program(clear).get("/tasks"), 401)
    assert Program(api_key).get("/tasks").status_code == 200


def test_it_rotates_the_callback_secret(caller: Caller) -> None:
    before = callers.callback_secret(caller)
    after = callers.rotate_callback_secret(caller)
    assert before != after
    assert callers.callback_secret(Caller.objects.get()) == after


def test_it_knows_callers_without_a_secret(db: None) -> None:
    assert callers.callback_secret(Caller(name="bare")) is None


def test_it_prints_key_and_secret_once(db: None) -> None:
    out = io.StringIO()
    call_command("create_caller", "acme", stdout=out)
    key = re.search(r"API key: +(\S+)", out.getvalue())[1]
    secret = re.search(r"Callback secret: (\S+)", out.getvalue())[1]
    assert Program(key).get("/tasks").status_code == 200
    assert secret == callers.callback_secret(Caller.objects.get())


def test_it_says_on_the_command_line_why_not(caller: Caller) -> None:
    with pytest.raises(CommandError, match="already exists"):
        call_command("create_caller", caller.name)


def test_it_shows_capabilities_to_people(settings, db: None) -> None:
    out = io.StringIO()
    call_command("capabilities", stdout=out)
    text = out.getvalue()
    assert "document_text  (" in text
    assert re.search(rf"max_file_size +{settings.SYNAPSE_MAX_FILE_SIZE}\n", text)


def test_it_shows_capabilities_to_programs(program: Program) -> None:
    out = io.StringIO()
    call_command("capabilities", "--json", stdout=out)
    answered = program.get("/capabilities").json()
    assert {"success": True} | json.loads(out.getvalue()) == answered
