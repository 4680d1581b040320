"""What must not come out: keys in the URL (G55), internals (G60)."""

import logging
from collections.abc import Callable

import pytest
from django.test import Client

from tasks_app.api import reading
from tasks_app.api.addresses import PREFIX
from tests.api.conftest import Program, error_of


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(reading, "task_of", fail)


def test_it_keeps_a_key_in_the_url_out_of_the_logs_g55(
    nobody: Program, api_key: str, broken: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    response = nobody.get(f"/task/x?api_key={api_key}")
    error_of(response, 500)
    nobody.get(f"/nowhere?api_key={api_key}")
    nobody.get(f"/tasks?limit=x&api_key={api_key}")
    nobody.get(f"/tasks?api_key={api_key[:-1]}")
    logged = caplog.text + "".join(str(vars(record)) for record in caplog.records)
    assert "A request failed." in logged
    assert api_key not in logged
    assert api_key[:-1] not in logged
    assert api_key not in response.content.decode()


def test_it_keeps_a_key_in_the_header_out_of_the_logs_g55(
    program: Program, api_key: str, broken: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    error_of(program.get("/task/x"), 500)
    assert api_key not in caplog.text


@pytest.mark.parametrize("path", ["/tasks", "/nowhere", "/task/x", "/schema", "/docs"])
def test_it_tells_nobody_where_the_key_was_g55(
    nobody: Program, api_key: str, path: str
) -> None:
    response = nobody.get(f"{path}?api_key={api_key}")
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["Cache-Control"] == "no-store"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_it_redirects_nowhere_g55(api_key: str, db: None) -> None:
    for path in ("/tasks/", "/task/x/", "", "//tasks"):
        response = Client().get(f"{PREFIX}{path}?api_key={api_key}")
        assert error_of(response, 404)["code"] == 1012


def test_it_sets_no_cookie(program: Program) -> None:
    assert not program.get("/tasks").cookies


def test_it_shows_no_internals_when_it_fails_g60(
    program: Program, broken: None, caplog: pytest.LogCaptureFixture
) -> None:
    response = program.get("/task/x")
    error = error_of(response, 500)
    assert (error["code"], error["details"]) == (1000, {})
    assert b"hunter2" not in response.content
    assert "hunter2" in caplog.text


def test_it_shows_no_internals_of_a_handler_g60(
    program: Program, drain: Callable[[], None]
) -> None:
    task_id = program.submit("probe_secret_error")
    drain()
    for path in (f"/task/{task_id}", f"/task/{task_id}/status", "/tasks"):
        content = program.get(path).content
        assert b"password" not in content
        assert b"Traceback" not in content


def test_it_never_gives_a_callback_token_back_g27(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    task_id = program.submit(
        callback_url="http://127.0.0.1:8999/", callback_token="my-callback-token"
    )
    answers = [program.get(path).content for path in (f"/task/{task_id}", "/tasks")]
    assert all(b"my-callback-token" not in content for content in answers)
    assert "my-callback-token" not in caplog.text
