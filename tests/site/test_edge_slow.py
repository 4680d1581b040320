"""Clients that are slow or stall: they keep nobody from work, and they are ended."""

import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site.edge_app import (
    BIG_FILE,
    RATE,
    SECONDS,
    Served,
    answer_on,
    head,
    is_closed,
)
from tests.stack.waiting import eventually

MANY = 100
CHUNKED = "Transfer-Encoding: chunked"
# Begun and never finished: kept in memory, kept in a file, of a length nobody knows.
STALLED = {
    "small": head("/", "Content-Length: 100") + b"a",
    "large": head("/", "Content-Length: 100000") + b"a",
    "chunked": head("/", CHUNKED) + b"1\r\na\r\n",
}
GET = head("/", method="GET")
FILE = head("/file", method="GET")
linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's own counters")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("edge")).running() as served:
        yield served


@pytest.mark.parametrize("kind", STALLED)
def test_it_answers_while_a_hundred_bodies_stall_g59(served: Served, kind: str) -> None:
    """And ends them: a refusal, and the connection is closed."""
    with served.holding(STALLED[kind], times=MANY) as stalled:
        assert b"200 OK" in served.ask(GET)
        for connection in stalled:
            assert answer_on(connection).startswith(b"HTTP/1.1 408 ")
            assert is_closed(connection)


@linux
def test_it_keeps_no_file_open_for_bodies_that_stalled_g59(served: Served) -> None:
    before = served.open_files()
    with served.holding(*STALLED.values(), times=20) as stalled:
        eventually(lambda: served.open_files() >= before + 60, 10, "connections")
        assert all(is_closed(connection) for connection in stalled)
    eventually(lambda: served.open_files() <= before, 10, "closed files")


@linux
def test_it_forgets_clients_that_left_in_the_middle(served: Served) -> None:
    before = served.open_files()
    for text in list(STALLED.values()) * 20:
        served.send(text).close()
    eventually(lambda: served.open_files() <= before, 10, "closed files")
    assert b"200 OK" in served.ask(GET)


def test_it_takes_an_upload_that_is_slow_but_steady_g59(served: Served) -> None:
    """Of twice the rate, for longer than a body that stalls would have."""
    size, steps = int(RATE * SECONDS * 4), 40
    began = time.monotonic()
    with served.send(head("/", f"Content-Length: {size}")) as connection:
        for _ in range(steps):
            connection.sendall(b"x" * (size // steps))
            time.sleep(2 * SECONDS / steps)  # This is what being slow means.
        assert b'"size": %d,' % size in answer_on(connection)
    assert time.monotonic() - began > SECONDS


def test_it_ends_an_upload_that_only_drips_g59(served: Served) -> None:
    stop = threading.Event()
    with served.send(head("/", "Content-Length: 100000")) as connection:
        drip = threading.Thread(target=_drip, args=(connection, stop))
        drip.start()
        assert answer_on(connection).startswith(b"HTTP/1.1 408 ")
        stop.set()
        drip.join()


def _drip(connection: socket.socket, stop: threading.Event) -> None:
    while not stop.wait(0.05):
        try:
            connection.sendall(b"x")
        except OSError:
            return


def test_it_answers_while_a_hundred_downloads_stall_g59(served: Served) -> None:
    with served.holding(FILE, times=MANY, narrow=True):
        assert b"200 OK" in served.ask(GET)


@linux
def test_it_ends_downloads_that_nobody_takes_g59(served: Served) -> None:
    before = served.open_files()
    with served.holding(FILE, times=20, narrow=True) as stalled:
        eventually(lambda: served.open_files() >= before + 20, 10, "connections")
        eventually(lambda: served.open_files() <= before, 20, "closed files")
        assert all(is_closed(connection) for connection in stalled)


def test_it_lets_a_steady_download_take_its_time_g59(served: Served) -> None:
    came, began = 0, time.monotonic()
    with served.send(FILE, narrow=True) as connection:
        while came < BIG_FILE:
            piece = connection.recv(1_000_000)
            assert piece, f"ended after {came} bytes"
            came += len(piece)
            if time.monotonic() - began < 5 * SECONDS:
                time.sleep(0.01)  # Slow, as long as a stalled one would have lasted.


def test_it_lists_no_file_of_a_body_that_comes_g59(served: Served) -> None:
    """So nothing is left of it after `kill -9`."""
    with served.send(STALLED["large"] + b"a" * 90_000) as connection:
        connection.settimeout(SECONDS / 4)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        assert list(served.spool.iterdir()) == []


def test_it_stops_soon_though_clients_stall_g59(tmp_path: Path) -> None:
    with (
        Served(tmp_path).running() as served,
        served.holding(*STALLED.values(), times=10),
        served.holding(FILE, times=10, narrow=True),
    ):
        assert b"200 OK" in served.ask(GET)
        began = time.monotonic()
        served.process.stop()
        assert time.monotonic() - began < 8
