"""Real PostgreSQL, Redis and Chromium for the tests: found, started, stopped.

`tests/run.py` starts the two servers for the production stack; a test that needs one of
the programs itself says `require_or_skip("redis")` and uses `redis()` or `postgres()`.
Servers live in a temporary folder, on free loopback ports, without durability.
"""

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

_QUICK = ("fsync=off", "full_page_writes=off", "max_connections=200")
_PORTS = (20_000, 32_000)
_PORT_TRIES = 100
START_SECONDS = 30.0
STOP_SECONDS = 15.0


class ServiceError(Exception):
    """A server did not come up; the text ends with what it said."""


def find_postgres() -> Path | None:
    """The folder with `initdb` and `postgres`, which distributions keep off PATH."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    if pg_config := shutil.which("pg_config"):
        said = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True)
        folders.insert(0, Path(said.stdout.strip()))
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if all(os.access(folder / name, os.X_OK) for name in ("initdb", "postgres")):
            return folder
    return None


def lacking() -> str | None:
    """Which servers of the production stack are not here, as a sentence part."""
    reasons = [missing(name) for name in ("postgres", "redis")]
    return ", ".join(reason for reason in reasons if reason) or None


def find_redis() -> Path | None:
    return _on_path("redis-server", "valkey-server")


def find_chromium() -> Path | None:
    return _on_path("chromium", "chromium-browser", "google-chrome", "chrome")


def _on_path(*names: str) -> Path | None:
    found = (shutil.which(name) for name in names)
    return next((Path(path) for path in found if path), None)


FINDERS: dict[str, Callable[[], Path | None]] = {
    "redis": find_redis,
    "postgres": find_postgres,
    "chromium": find_chromium,
}


def required() -> frozenset[str]:
    """What SYNAPSE_TEST_REQUIRE says must be there; ValueError for an unknown name."""
    value = os.environ.get("SYNAPSE_TEST_REQUIRE", "")
    names = frozenset(name.strip() for name in value.split(",") if name.strip())
    if unknown := names - FINDERS.keys():
        raise ValueError(f"SYNAPSE_TEST_REQUIRE: unknown {sorted(unknown)}")
    return names


def missing(name: str) -> str | None:
    """Why tests that need it cannot run here; None when they can."""
    return None if FINDERS[name]() else f"{name} was not found on this machine"


def require_or_skip(name: str) -> Path:
    """Where it is; else a skip, or a failure if SYNAPSE_TEST_REQUIRE names it."""
    found = FINDERS[name]()
    if found is None and name in required():
        pytest.fail(f"{missing(name)}, but SYNAPSE_TEST_REQUIRE asks for it")
    if found is None:
        pytest.skip(f"{missing(name)}")
    return found


@contextmanager
def postgres(*, durable: bool = False) -> Iterator[str]:
    """A fresh PostgreSQL with an empty database; yields its DATABASE_URL.

    `durable` leaves the server's defaults, fsync included, for those who measure.
    """
    with postgres_server(durable=durable) as server:
        yield server.url


@contextmanager
def postgres_server(*, durable: bool = False) -> Iterator["PostgresServer"]:
    """The same for those who do something to the server."""
    programs = require_or_skip("postgres")
    with _folder() as folder:
        init = [str(programs / "initdb"), "-D", str(folder / "data"), "-U", "synapse"]
        init += ["-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        _run_as_user(init, folder)
        server = PostgresServer(programs, folder, () if durable else _QUICK)
        server.start()
        try:
            yield server
        finally:
            server.resume()
            server.stop()


class PostgresServer:
    """One server on a port of its own: stopped, started again, halted in between."""

    def __init__(self, programs: Path, folder: Path, settings: Sequence[str]) -> None:
        self.port = free_port()
        self.url = f"postgres://synapse@127.0.0.1:{self.port}/synapse"
        self._folder = folder
        self._command = [str(programs / "postgres"), "-D", str(folder / "data")]
        self._command += ["-p", str(self.port), "-h", "127.0.0.1", "-k", str(folder)]
        for setting in settings:
            self._command += ["-c", setting]
        self._open = ExitStack()
        self._halted: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Until it answers, with its database."""
        # SIGINT is PostgreSQL's fast shutdown; SIGTERM would wait for all clients.
        self._process = self._open.enter_context(
            _server(
                self._command,
                self._folder,
                signal.SIGINT,
                lambda: _create_database(self.port),
            )
        )

    def stop(self) -> None:
        """Cut all connections and end, as a restart does."""
        self._open.close()

    def halt(self) -> None:
        """It still accepts connections, by its kernel, and says nothing any more."""
        assert self._process is not None, "it was never started"
        # Its children have process groups of their own; none is born any more.
        os.kill(self._process.pid, signal.SIGSTOP)
        self._halted = [self._process.pid, *_children_of(self._process.pid)]
        for pid in self._halted[1:]:
            os.kill(pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Go on as if nothing had been."""
        for pid in self._halted:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self._halted = []


def _children_of(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # It has just ended.
            # The name before it may hold spaces, but ends with the last bracket.
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(path.parent.name))
    return found


def _create_database(port: int) -> bool:
    url = f"postgresql://synapse@127.0.0.1:{port}/postgres"
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
            connection.execute("CREATE DATABASE synapse")
    except psycopg.errors.DuplicateDatabase:
        pass  # Of an earlier start.
    except psycopg.OperationalError:
        return False
    return True


@contextmanager
def redis(port: int | None = None) -> Iterator[str]:
    """A fresh Redis that keeps nothing; yields its URL. Name a port to restart it."""
    program = require_or_skip("redis")
    number = port or free_port()
    with _folder() as folder:
        serve = [str(program), "--port", str(number), "--bind", "127.0.0.1"]
        serve += ["--save", "", "--appendonly", "no", "--dir", str(folder)]
        with _server(serve, folder, signal.SIGTERM, lambda: _redis_answers(number)):
            yield f"redis://127.0.0.1:{number}/0"


def _redis_answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as client:
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def free_port() -> int:
    """A loopback port that nobody listens on now.

    Below those that the system hands out to clients: one of these could take it before
    the server starts.
    """
    for _ in range(_PORT_TRIES):
        number = random.randrange(*_PORTS)  # noqa: S311 - no secret
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", number))
            return number
    raise ServiceError("no free port was found")


@contextmanager
def _server(
    command: list[str], folder: Path, stop: signal.Signals, ready: Callable[[], bool]
) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C reaches the tests first.
            **_unprivileged(),
        )
    try:
        _wait_until(ready, process, folder / "log")
        yield process
    finally:
        process.send_signal(stop)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until(
    ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path
) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            said = log.read_text(errors="replace")[-2000:]
            raise ServiceError(f"{process.args} did not come up:\n{said}")
        time.sleep(0.05)


def _run_as_user(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, **_unprivileged()
    )
    if done.returncode:
        raise ServiceError(f"{command} failed:\n{done.stderr}")


@contextmanager
def _folder() -> Iterator[Path]:
    """A short path (socket names are limited) that the unprivileged user may enter."""
    parent = "/tmp" if Path("/tmp").is_dir() else None  # noqa: S108 - see above
    with tempfile.TemporaryDirectory(prefix="synapse-", dir=parent) as name:
        if user := _unprivileged().get("user"):
            shutil.chown(name, user)
        yield Path(name)


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: another user for it there."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name for entry in pwd.getpwall()}
    name = next(name for name in ("postgres", "nobody") if name in known)
    group = pwd.getpwnam(name).pw_gid
    return {"user": name, "group": group, "extra_groups": []}
