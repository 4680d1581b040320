"""Clients that stall or are slow, against the real web process (G59)."""

import io
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import requests

from tests.stack import Client, Stack, Template
from tests.stack.client import API

pytestmark = pytest.mark.journey

SECONDS = 3
MIB = 1024 * 1024
# Announced; one byte of it comes.
SMALL, LARGE = 1000, 900_000


@pytest.fixture(scope="module")
def stack(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """Of four threads in one web process, as the Procfile has it."""
    folder = tmp_path_factory.mktemp("slow")
    with Stack(template, folder, SYNAPSE_STALL_SECONDS=str(SECONDS)) as stack:
        yield stack


def stall(stack: Stack, path: str, length: int, *headers: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", stack.port), 20)
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", *headers]
    lines += ["Content-Type: application/json", f"Content-Length: {length}", "", "{"]
    connection.sendall("\r\n".join(lines).encode())
    return connection


def read(connection: socket.socket) -> bytes:
    """All that comes until the end of the connection."""
    came = b""
    while piece := connection.recv(65_536):
        came += piece
    return came


def test_g59_a_hundred_stalled_bodies_delay_nobody(
    stack: Stack, client: Client
) -> None:
    task_id = client.submit("probe_echo")
    key = f"X-API-Key: {client.key}"
    with ExitStack() as held:
        for number in range(100):
            length = (SMALL, LARGE)[number % 2]
            path, *headers = (
                (f"{API}/task", key),
                (f"{API}/a2a/messages",),
                ("/admin/login/", "Cookie: csrftoken=" + "x" * 32),
            )[number % 3]
            held.enter_context(stall(stack, path, length, *headers))
        assert client.request("GET", f"/task/{task_id}", timeout=5).ok
        assert client.submit("probe_echo")
        assert requests.get(f"{stack.url}/admin/login/", timeout=5).ok


@pytest.mark.parametrize("length", [SMALL, LARGE])
def test_g59_a_stalled_body_is_ended(stack: Stack, client: Client, length: int) -> None:
    key = f"X-API-Key: {client.key}"
    with stall(stack, f"{API}/task", length, key) as connection:
        answer = read(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == 1019


def test_g59_a_body_without_a_key_is_not_waited_for(stack: Stack) -> None:
    with stall(stack, f"{API}/task/multipart", LARGE, "X-API-Key: no") as connection:
        began = time.monotonic()
        assert read(connection).startswith(b"HTTP/1.1 401 ")
    assert time.monotonic() - began < SECONDS


def test_g59_a_large_body_for_the_admin_is_refused_unread(stack: Stack) -> None:
    with stall(stack, "/admin/login/", 10 * MIB) as connection:
        assert read(connection).startswith(b"HTTP/1.1 413 ")


class _Slow(io.BytesIO):
    """A body that is sent at a steady rate."""

    def read(self, size: int | None = -1) -> bytes:
        time.sleep(0.02)  # This is what being slow means.
        return super().read(64 * 1024)


def test_g59_a_slow_upload_and_a_slow_download_succeed(
    stack: Stack, client: Client
) -> None:
    """Of 15 MiB, at 3 MiB a second: each takes longer than a stalled one may."""
    files = {"file": ("a.txt", b"x" * (15 * MIB), "text/plain")}
    fields = {"task_type": "probe_echo", "payload": "{}"}
    form = requests.Request("POST", stack.url, data=fields, files=files).prepare()
    assert isinstance(form.body, bytes)
    answer = requests.post(
        f"{stack.url}{API}/task/multipart",
        data=_Slow(form.body),
        headers={"X-API-Key": client.key, "Content-Type": form.headers["Content-Type"]},
        timeout=30,
    )
    assert answer.status_code == 202, answer.text
    [file] = client.task(answer.json()["task_id"])["files"]
    assert _downloaded(stack, client, file["url"]) == 15 * MIB


def _downloaded(stack: Stack, client: Client, url: str) -> int:
    headers = {"X-API-Key": client.key}
    with requests.get(stack.url + url, headers=headers, stream=True, timeout=30) as got:
        size = 0
        for piece in got.iter_content(64 * 1024):
            size += len(piece)
            time.sleep(0.02)  # As above.
    return size
