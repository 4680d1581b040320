"""A program that calls P2A, through Django's client or straight through WSGI."""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponse
from django.test import Client

from tasks_app.api.addresses import PREFIX
from tasks_app.api.entry import guarded
from tasks_app.models import Task


class Program:
    """Speaks JSON with an API key; paths are below the prefix."""

    def __init__(self, key: str | None = None) -> None:
        self._client = Client(raise_request_exception=False)
        self._headers = {} if key is None else {"X-API-Key": key}

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self._client.get(PREFIX + path, headers=self._headers | _named(headers))

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
        return self._client.generic(
            method,
            PREFIX + path,
            data,
            content_type,
            headers=self._headers | _named(headers),
        )

    def form(self, parts: Mapping[str, Any], **headers: str) -> HttpResponse:
        """Files are given as `SimpleUploadedFile`s, several as a list."""
        return self._client.post(
            PREFIX + "/task/multipart",
            parts,
            headers=self._headers | _named(headers),
        )

    def submit(
        self, task_type: str = "probe_echo", payload: object = None, **fields: object
    ) -> str:
        """The id of a task that was accepted."""
        body = {"task_type": task_type, "payload": payload or {}} | fields
        response = self.post("/task", body)
        assert response.status_code == 202, response.content
        return str(response.json()["task_id"])


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass(frozen=True)
class Raw:
    """An answer as a web server gets it."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


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


Wsgi = Callable[..., Raw]


@pytest.fixture
def wsgi(api_key: str) -> Wsgi:
    """Calls the application as a web server does, with any environment."""
    application = guarded(WSGIHandler())

    def call(
        path: str = "/task",
        body: bytes = b"",
        *,
        method: str = "POST",
        announced: bool = True,
        **environ: object,
    ) -> Raw:
        started: list[tuple[str, list[tuple[str, str]]]] = []
        full = {
            "REQUEST_METHOD": method,
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
        if announced:
            full["CONTENT_LENGTH"] = str(len(body))
        chunks: Iterable[bytes] = application(
            full | environ, lambda status, headers, _=None: started.append((status, headers))
        )
        content = b"".join(chunks)
        getattr(chunks, "close", lambda: None)()
        status, headers = started[0]
        return Raw(int(status.split()[0]), dict(headers), content)

    return call
