"""A PostgreSQL that really writes to disk, and a Redis, both of this run alone.

The tests have starters of their own, without durability; here fsync is what costs.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests import services

START_SECONDS = 30.0


def missing() -> str | None:
    """Which server of the production stack is not on this machine."""
    reasons = [services.missing(name) for name in ("postgres", "redis")]
    return ", ".join(reason for reason in reasons if reason) or None


@contextmanager
def postgres() -> Iterator[str]:
    """The DATABASE_URL of an empty database; the server's defaults, fsync included."""
    programs = services.find_postgres()
    assert programs is not None
    with tempfile.TemporaryDirectory(prefix="synapse-bench-", dir="/tmp") as name:
        if user := _unprivileged().get("user"):
            shutil.chown(name, user)
        data, port = f"{name}/data", services.free_port()
        init = [f"{programs}/initdb", "-D", data, "-U", "synapse", "-A", "trust"]
        subprocess.run(
            [*init, "-E", "UTF8", "--locale=C"],
            cwd=name,
            check=True,
            stdout=subprocess.DEVNULL,
            **_unprivileged(),
        )
        serve = [f"{programs}/postgres", "-D", data, "-p", str(port), "-k", name]
        with _running([*serve, "-h", "127.0.0.1"], name, signal.SIGINT):
            _until(lambda: _create_database(port))
            yield f"postgres://synapse@127.0.0.1:{port}/synapse"


@contextmanager
def _running(command: list[str], folder: str, stop: signal.Signals) -> Iterator[None]:
    with Path(folder, "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
            **_unprivileged(),
        )
    try:
        yield
    finally:
        process.send_signal(stop)
        process.wait(30)


def _until(ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError("the server did not come up")
        time.sleep(0.05)


def _create_database(port: int) -> bool:
    url = f"postgresql://synapse@127.0.0.1:{port}/postgres"
    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
            connection.execute("CREATE DATABASE synapse")
    except psycopg.OperationalError:
        return False
    return True


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name for entry in pwd.getpwall()}
    name = next(name for name in ("postgres", "nobody") if name in known)
    return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}
