"""Checkpoints of the embedded database: never while somebody else may commit."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.utils import load_backend

from synapse_site import databases
from synapse_site.sqlite import base

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_APART_SECONDS", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.sqlite3"


@pytest.fixture
def connection(path: Path) -> Iterator[Any]:
    """Of the product's backend, with a table."""
    settings = databases.configured(f"sqlite:///{path}", pooler=False)
    settings |= {"TIME_ZONE": None, "AUTOCOMMIT": True, "ATOMIC_REQUESTS": False}
    settings["TEST"] = {"NAME": None}
    made = load_backend(settings["ENGINE"]).DatabaseWrapper(settings, alias="some")
    with made.cursor() as cursor:
        cursor.execute("CREATE TABLE notes (text TEXT)")
    yield made
    made.close()


@pytest.fixture
def write(connection: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Adds so many characters in a transaction, as the ledger does."""
    monkeypatch.setattr(transaction, "get_connection", lambda using=None: connection)

    def insert(characters: int = 1) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("INSERT INTO notes VALUES (%s)", ["x" * characters])

    return insert


def size_of_log(path: Path) -> int:
    return path.with_name(f"{path.name}-wal").stat().st_size


def test_it_leaves_none_to_the_commits(connection: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_autocheckpoint")
        assert cursor.fetchone() == (0,)


def test_it_keeps_the_log_short(path: Path, write: Any) -> None:
    for _ in range(40):
        write(500_000)
    assert size_of_log(path) < 2 * base.LONG_BYTES
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT count(*) FROM notes").fetchone() == (40,)


def test_it_lets_nobody_commit_meanwhile(
    path: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite below 3.51.3 may lose transactions otherwise."""
    refused = []
    real = base.checkpoint

    def watched(database: str) -> None:
        with closing(sqlite3.connect(path, timeout=0)) as other:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")
            refused.append(database)
        real(database)

    monkeypatch.setattr(base, "checkpoint", watched)
    write(base.LONG_BYTES + 1)
    write()
    assert refused == [str(path)]


def test_it_waits_for_no_reader(path: Path, write: Any) -> None:
    """Whose log stays long then; the next writer tries again."""
    write()
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM notes").fetchone()
        for _ in range(3):
            write(base.LONG_BYTES)
        assert reader.execute("SELECT count(*) FROM notes").fetchone() == (1,)
    for _ in range(3):
        write()
    assert size_of_log(path) < base.LONG_BYTES
