"""API keys: hashed, revocable at once, all refusals alike (G54, P2A 5.1)."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from tasks_app import callers
from tasks_app.api import auth
from tasks_app.models import Caller, CallerKey
from tests.api.conftest import Program, Wsgi, error_of


def _code(program: Program, path: str = "/tasks", **headers: str) -> int:
    response = program.get(path, **headers)
    assert response["WWW-Authenticate"].startswith("ApiKey ")
    error = error_of(response, 401)
    assert error["category"] == "security"
    return error["code"]


def test_it_takes_the_key_in_the_header(program: Program) -> None:
    assert program.get("/tasks").status_code == 200


def test_it_takes_the_key_in_the_query(nobody: Program, api_key: str) -> None:
    assert nobody.get(f"/tasks?api_key={api_key}").status_code == 200


def test_it_takes_the_same_key_in_both_places(program: Program, api_key: str) -> None:
    assert program.get(f"/tasks?api_key={api_key}").status_code == 200


def test_it_asks_for_a_key_g54(nobody: Program, api_key: str) -> None:
    assert _code(nobody) == 5001


def test_it_refuses_two_keys_that_differ_g54(
    program: Program, stranger_key: str
) -> None:
    assert _code(program, f"/tasks?api_key={stranger_key}") == 5003
    assert _code(program, "/tasks?api_key=") == 5003


def test_it_refuses_a_key_that_comes_twice_g54(nobody: Program, api_key: str) -> None:
    assert _code(nobody, f"/tasks?api_key={api_key}&api_key={api_key}") == 5002
    assert _code(nobody, X_API_Key=f"{api_key},{api_key}") == 5002


@pytest.mark.parametrize(
    "key",
    [
        "",
        " ",
        "x",
        ".",
        "é",
        "日本",
        "\x00",
        "a\x00b",
        "k" * 301,
        "k" * 10_240,
        "abcdefgh." + "x" * 32,
    ],
)
def test_it_refuses_what_is_no_key_g54(wsgi: Wsgi, key: str) -> None:
    latin = key.encode().decode("latin-1")
    response = wsgi("/tasks", REQUEST_METHOD="GET", HTTP_X_API_KEY=latin)
    assert error_of(response, 401)["code"] == 5002


@pytest.mark.parametrize(
    "key", ["%00", "%ff", "%E6%97%A5", "é", "x" * 20_000, "%", "+"]
)
def test_it_refuses_what_is_no_key_in_the_query_g54(wsgi: Wsgi, key: str) -> None:
    response = wsgi(
        "/tasks",
        REQUEST_METHOD="GET",
        HTTP_X_API_KEY=None,
        QUERY_STRING=f"api_key={key}",
    )
    assert error_of(response, 401)["code"] == 5002


def test_it_refuses_a_key_that_is_almost_right_g54(
    nobody: Program, api_key: str
) -> None:
    wrong_case = api_key.swapcase()
    other_half = f"{api_key[:9]}{'x' * 32}"
    for almost in (wrong_case, other_half, api_key[:-1], api_key + "x", api_key[:8]):
        assert _code(nobody, X_API_Key=almost) == 5002


def test_it_refuses_a_revoked_key_from_the_next_request_on_g54(
    program: Program,
) -> None:
    assert program.get("/tasks").status_code == 200
    callers.revoke_key(CallerKey.objects.get())
    assert _code(program) == 5002


def test_it_refuses_an_expired_key_g54(program: Program) -> None:
    CallerKey.objects.update(expiry_date=timezone.now() + timedelta(hours=1))
    assert program.get("/tasks").status_code == 200
    CallerKey.objects.update(expiry_date=timezone.now() - timedelta(seconds=1))
    assert _code(program) == 5002


def test_it_refuses_the_key_of_a_disabled_caller_g54(program: Program) -> None:
    Caller.objects.update(enabled=False)
    assert _code(program) == 5002


def test_it_says_nothing_about_why_g54(
    program: Program, nobody: Program, api_key: str
) -> None:
    unknown = nobody.get("/tasks", X_API_Key="abcdefgh." + "x" * 32)
    callers.revoke_key(CallerKey.objects.get())
    assert program.get("/tasks").content == unknown.content


def test_it_hashes_a_key_that_nobody_has_g54(
    nobody: Program, api_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[str] = []
    verify = auth._generator.verify
    monkeypatch.setattr(
        auth._generator,
        "verify",
        lambda key, hashed: verified.append(hashed) or verify(key, hashed),
    )
    _code(nobody, X_API_Key="abcdefgh." + "x" * 32)
    _code(nobody, X_API_Key=f"{api_key[:9]}{'x' * 32}")
    unknown, known = verified
    assert len(unknown) == len(known)


def test_it_keeps_no_key_in_clear_g54(api_key: str) -> None:
    row = CallerKey.objects.values().get()
    secret = api_key.partition(".")[2]
    assert all(secret not in str(value) for value in row.values())


def test_it_can_do_without_keys_in_the_query(
    program: Program, nobody: Program, api_key: str, settings: Settings
) -> None:
    settings.SYNAPSE_ALLOW_QUERY_API_KEY = False
    assert _code(nobody, f"/tasks?api_key={api_key}") == 5001
    error = error_of(program.get(f"/tasks?api_key={api_key}"), 400)
    assert error["details"]["unknown"] == ["api_key"]


@pytest.mark.parametrize("path", ["/task/x", "/task/x/status", "/capabilities"])
def test_it_asks_everywhere(nobody: Program, path: str) -> None:
    assert _code(nobody, path) == 5001
    assert error_of(nobody.post("/task/multipart"), 401)["code"] == 5001
    assert error_of(nobody.post("/task/x/cancel"), 401)["code"] == 5001
