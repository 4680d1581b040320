"""Programs that call P2A, through Django's client or straight through WSGI."""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.http import HttpResponse
from django.test import Client
from pytest_django.fixtures import Settings

from tasks_app.api.addresses import PREFIX
from tasks_app.api.entry import guarded
from tasks_app.models import Task


class Program:
    """Speaks JSON with an API key; paths are below the prefix."""

    def __init__(self, key: str | None = None) -> None:
        self._client = Client(raise_request_exception=False)
        self._headers = {} if key is None else {"X-API-Key": key}

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self._client.get(PREFIX + path, headers=self._headers | named(headers))

    def post(self, path: str, body: object = None, **headers: str) -> HttpResponse:
        return self.send("POST", path, json.dumps(body or {}), **headers)

    def send(
        self,
        method: str,
        path: str,
        data: str | bytes = b"",
        content_type: str = "application/json",
        **headers: str,
    ) -> HttpResponse:
        together = self._headers | named(headers)
        return self._client.generic(
            method, PREFIX + path, data, content_type, headers=together
        )

    def form(self, parts: Mapping[str, Any], **headers: str) -> HttpResponse:
        """Files are given as `SimpleUploadedFile`s, several as a list."""
        together = self._headers | named(headers)
        return self._client.post(PREFIX + "/task/multipart", parts, headers=together)

    def submit(
        self, task_type: str = "probe_echo", payload: object = None, **fields: object
    ) -> str:
        """The id of a task that was accepted."""
        body = {"task_type": task_type, "payload": payload or {}} | fields
        response = self.post("/task", body)
        assert response.status_code == 202, response.content
        return str(response.json()["task_id"])

    def task(self, task_id: str) -> dict[str, Any]:
        return self.get(f"/task/{task_id}").json()["task"]


def named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def error_of(response: Any, status: int) -> dict[str, Any]:
    """The error object of an answer that has this status and the one shape (G51)."""
    assert response.status_code == status, response.content
    body = json.loads(response.content)
    assert sorted(body) == ["error", "success"]
    assert body["success"] is False
    error = body["error"]
    assert sorted(error) == ["category", "code", "details", "message", "retry_after"]
    return error


def invalid_fields(response: Any, status: int = 400) -> dict[str, str]:
    return error_of(response, status)["details"]["fields"]


@dataclass(frozen=True)
class Raw:
    """An answer as a web server gets it."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes


@pytest.fixture(autouse=True)
def receivers_on_loopback(settings: Settings) -> None:
    """As in the embedded setup, also where the tests run on the other one."""
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = (ip_network("127.0.0.0/8"),)


@pytest.fixture
def program(api_key: str) -> Program:
    return Program(api_key)


@pytest.fixture
def stranger(stranger_key: str) -> Program:
    return Program(stranger_key)


@pytest.fixture
def nobody(db: None) -> Program:
    return Program()


@pytest.fixture
def task(program: Program) -> Task:
    """A task of `program` that nobody has begun."""
    return Task.objects.get(pk=program.submit())


@pytest.fixture
def asking(program: Program, drain: Callable[[], None]) -> str:
    """The id of a task that waits for its colour."""
    task_id = program.submit("probe_need_info")
    drain()
    return task_id


@pytest.fixture
def deciding(program: Program, drain: Callable[[], None]) -> str:
    """The id of a task that waits for an operator."""
    task_id = program.submit("probe_need_human", {"level": 2})
    drain()
    return task_id


Wsgi = Callable[..., Raw]


@pytest.fixture
def wsgi(api_key: str) -> Iterator[Wsgi]:
    """Calls the application as a web server does, with any environment."""
    # As Django's own client: the connection is in the transaction of the test.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    application = guarded(WSGIHandler())

    def call(
        path: str = "/task",
        body: bytes = b"",
        *,
        length: bool = True,
        **environ: object,
    ) -> Raw:
        started: list[tuple[str, list[tuple[str, str]]]] = []
        full = {
            "REQUEST_METHOD": "POST",
            "SCRIPT_NAME": "",
            "PATH_INFO": PREFIX + path,
            "QUERY_STRING": "",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "CONTENT_TYPE": "application/json",
            "HTTP_X_API_KEY": api_key,
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            "wsgi.url_scheme": "http",
        }
        if length:
            full["CONTENT_LENGTH"] = str(len(body))
        answer: Iterable[bytes] = application(
            full | environ, lambda *given: started.append(given[:2])
        )
        content = b"".join(answer)
        getattr(answer, "close", lambda: None)()
        status, headers = started[0]
        return Raw(int(status.split()[0]), dict(headers), content)

    yield call
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
