"""One error shape for everything that is no success (G51)."""

import json

import pytest
from django.core.exceptions import (
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import (
    DatabaseError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
)
from django.http import UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.test import Client
from rest_framework import exceptions as drf

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.api.errors import answer_to
from tests.api.conftest import Program, Wsgi, error_of

UNKNOWN = "01900000-0000-7000-8000-000000000000"


@pytest.mark.parametrize(
    "path",
    [
        "/nope",
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/synapse",
        "/api/v1/synapse/",
        "/api/v1/synapse/task/",
        "/api/v1/synapse/tasks/",
        "/api/v2/synapse/tasks",
        "/static/nothing.js",
        "/%00",
        "/%ff",
    ],
)
def test_it_answers_unknown_addresses_in_json_g51(db: None, path: str) -> None:
    for method in ("get", "post", "delete", "head"):
        response = getattr(Client(), method)(path)
        assert response.status_code == 404
        assert response["Content-Type"] == "application/json"
    error = error_of(Client().get(path), 404)
    assert (error["code"], error["category"]) == (1012, "system")


def test_it_leaves_the_pages_of_the_admin_to_the_admin(admin_client: Client) -> None:
    response = admin_client.get("/admin/nothing/")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "X"])
@pytest.mark.parametrize(
    "path", ["/task", "/tasks", "/capabilities", f"/task/{UNKNOWN}", "/schema"]
)
def test_it_names_the_methods_that_are_allowed_g51(
    program: Program, method: str, path: str
) -> None:
    response = program.send(method, path)
    assert error_of(response, 405)["code"] == 1013
    assert "OPTIONS" in response["Allow"]


def test_it_tells_what_may_be_done(program: Program) -> None:
    response = program.send("OPTIONS", "/tasks")
    assert response.json() == {"success": True, "methods": ["GET", "HEAD", "OPTIONS"]}
    assert response["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("accept", ["text/html", "application/xml, image/*;q=0.5"])
def test_it_sends_away_who_takes_no_json_g51(program: Program, accept: str) -> None:
    error = error_of(program.get("/tasks", Accept=accept), 406)
    assert error["details"] == {"supported": ["application/json"]}


@pytest.mark.parametrize(
    "accept", ["*/*", "application/json", "application/*", "text/html, */*;q=0.1"]
)
def test_it_serves_who_takes_json(program: Program, accept: str) -> None:
    assert program.get("/tasks", Accept=accept).status_code == 200


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (drf.Throttled(wait=7), 429, Code.RATE_LIMITED),
        (drf.PermissionDenied(), 403, Code.FORBIDDEN),
        (drf.ParseError("secret"), 400, Code.MALFORMED_JSON),
        (drf.NotAuthenticated(), 401, Code.KEY_MISSING),
        (drf.UnsupportedMediaType("a/b"), 415, Code.UNSUPPORTED_MEDIA_TYPE),
        (drf.ValidationError({"a": "secret"}), 400, Code.INVALID_FIELD),
        (RequestDataTooBig("secret"), 413, Code.BODY_TOO_LARGE),
        (TooManyFieldsSent("secret"), 400, Code.INVALID_FIELD),
        (TooManyFilesSent("secret"), 413, Code.TOO_MANY_FILES),
        (SuspiciousOperation("secret"), 400, Code.INVALID_FIELD),
        (MultiPartParserError("secret"), 400, Code.INVALID_FIELD),
        (UnreadablePostError("secret"), 400, Code.INVALID_FIELD),
        (SynapseError(Code.CHANGED_MEANWHILE), 409, Code.CHANGED_MEANWHILE),
        (OperationalError("secret"), 503, Code.DATABASE_UNAVAILABLE),
        (InterfaceError("secret"), 503, Code.DATABASE_UNAVAILABLE),
        (DatabaseError("secret"), 503, Code.DATABASE_UNAVAILABLE),
        (IntegrityError("secret"), 500, Code.INTERNAL),
        (ProgrammingError("secret"), 500, Code.INTERNAL),
        (KeyError("secret"), 500, Code.INTERNAL),
        (MemoryError("secret"), 500, Code.INTERNAL),
    ],
)
def test_it_has_an_answer_for_every_exception_g51(
    error: Exception, status: int, code: Code
) -> None:
    response = answer_to(error)
    assert error_of(response, status)["code"] == code
    assert b"secret" not in response.content


@pytest.mark.parametrize(
    ("error", "seconds"), [(drf.Throttled(wait=6.2), "7"), (OperationalError(), "5")]
)
def test_it_says_when_to_come_back_g51(error: Exception, seconds: str) -> None:
    response = answer_to(error)
    assert response["Retry-After"] == seconds
    assert f'"retry_after": {seconds}'.encode() in response.content


def test_it_says_that_the_database_is_away_g51(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise OperationalError("connection to 10.0.0.5 refused")

    monkeypatch.setattr("tasks_app.api.select.Select.rows", lost)
    response = program.get("/tasks")
    assert error_of(response, 503)["retry_after"] == 5
    assert b"10.0.0.5" not in response.content


def test_it_answers_in_json_when_everything_fails_g51(
    wsgi: Wsgi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks_app.api.middleware.get_resolver", None)
    assert error_of(wsgi("/tasks"), 500)["code"] == 1000


def test_it_refuses_hosts_it_does_not_serve_g51(db: None) -> None:
    response = Client(headers={"Host": "evil.example"}).get("/nope")
    assert error_of(response, 400)["code"] == 1011


LONG = "x" * 50_000


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"/tasks?status={LONG}", None),
        ("GET", f"/tasks?{LONG}=1", None),
        ("GET", "/tasks?" + "&".join(f"k{n}=1" for n in range(900)), None),
        ("POST", "/task", {"task_type": LONG, "payload": {}}),
        ("POST", "/task", {"task_type": "document_text", "payload": {LONG: 1}}),
        ("POST", "/task", {"task_type": "probe_echo", "payload": {}, "priority": LONG}),
    ],
    ids=["value", "name", "names", "type", "field", "priority"],
)
def test_it_does_not_send_back_all_that_was_wrong(
    program: Program, method: str, path: str, body: object
) -> None:
    response = program.send(method, path, json.dumps(body or {}))
    assert error_of(response, response.status_code)["details"]
    assert len(response.content) < 5_000


def test_it_cuts_whatever_stands_in_an_error() -> None:
    details = {LONG: LONG, "many": [LONG] * 1000, "deep": {"a": {"b": [LONG]}}, "n": 1}
    response = answer_to(SynapseError(Code.INVALID_FIELD, LONG, details=details))
    error = error_of(response, 400)
    assert len(response.content) < 150_000
    assert error["message"] == "x" * 1000 + "…"
    assert error["details"]["deep"] == {"a": {"b": ["x" * 1000 + "…"]}}
    assert (len(error["details"]["many"]), error["details"]["n"]) == (100, 1)
