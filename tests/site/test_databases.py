"""The database by its URL, and a PostgreSQL that does not answer."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError
from django.db.utils import load_backend

from synapse_site import databases
from synapse_site.postgresql import driver
from tests.services import PostgresServer, postgres_server

URL = "postgres://synapse@db/synapse"


@pytest.fixture(autouse=True)
def some_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the web process, and one that knows of no silence."""
    monkeypatch.delenv("SYNAPSE_PROCESS", raising=False)
    monkeypatch.setattr(driver, "silence", driver._Silence())


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_PROCESS", "web")


def options(url: str) -> dict[str, Any]:
    found: dict[str, Any] = databases.configured(url, pooler=False)["OPTIONS"]
    return found


class TestOptions:
    def test_it_bounds_every_wait_for_postgresql(self) -> None:
        found = options(URL)
        assert found["connect_timeout"] < found["answer_timeout"]
        assert "statement_timeout=60s" in found["options"]

    @pytest.mark.usefixtures("web")
    def test_it_is_quick_in_the_web_process(self) -> None:
        assert options(URL)["answer_timeout"] == 6
        assert options("sqlite:///x")["timeout"] == 8

    def test_it_is_patient_elsewhere(self) -> None:
        assert options("sqlite:///x")["timeout"] == 20

    def test_it_keeps_what_the_url_says(self) -> None:
        found = options(f"{URL}?sslmode=require&connect_timeout=9")
        assert (found["sslmode"], found["connect_timeout"]) == ("require", 9)

    def test_it_lets_the_server_take_the_last_word_of_the_url(self) -> None:
        found = options(f"{URL}?options=-c%20statement_timeout%3D9s")
        assert found["options"].endswith("-c statement_timeout=9s")

    def test_it_tells_a_pooler_nothing_of_sessions(self) -> None:
        made = databases.configured(URL, pooler=True)
        assert not {"options", "prepare_threshold"} & set(made["OPTIONS"])
        assert made["DISABLE_SERVER_SIDE_CURSORS"]

    def test_it_knows_the_web_process_by_its_entry(self) -> None:
        code = (
            "from synapse_site import wsgi; from django.conf import settings;"
            "print(settings.DATABASES['default']['OPTIONS']['timeout'])"
        )
        said = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"DATABASE_URL": "sqlite:///:memory:"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert said.stdout.strip() == "8", said.stderr


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def connect(server: PostgresServer) -> Iterator[Callable[..., Any]]:
    """Makes connections of the product's backend, bounded to a second."""
    made = []

    def bounded(*, pooler: bool = False, **changed: object) -> Any:
        settings = databases.configured(server.url, pooler=pooler)
        settings["OPTIONS"] |= {"answer_timeout": 1, "connect_timeout": 2} | changed
        settings |= {"TIME_ZONE": None, "AUTOCOMMIT": True, "ATOMIC_REQUESTS": False}
        settings["TEST"] = {"NAME": None}
        made.append(load_backend(settings["ENGINE"]).DatabaseWrapper(settings))
        return made[-1]

    yield bounded
    server.resume()
    for connection in made:
        connection.close()


def ask(connection: Any, statement: str = "SELECT 1") -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()


@pytest.mark.django_db
class TestHalted:
    """SIGSTOP to the server: TCP goes on, nobody answers."""

    def test_it_gives_up_a_statement(self, server, connect):
        connection = connect()
        ask(connection)
        server.halt()
        with pytest.raises(OperationalError, match=r"did not answer within 1\.0 s"):
            ask(connection)

    def test_it_gives_up_a_commit(self, server, connect):
        connection = connect()
        connection.set_autocommit(False)
        ask(connection, "SELECT txid_current()")
        server.halt()
        with pytest.raises(OperationalError):
            connection.commit()

    def test_it_gives_up_a_connection(self, server, connect):
        server.halt()
        with pytest.raises(OperationalError, match="timeout"):
            ask(connect())

    def test_it_does_not_let_others_wait_right_after(self, server, connect):
        """Else requests that queue for a thread would wait one after the other."""
        server.halt()
        with pytest.raises(OperationalError):
            ask(connect())
        with pytest.raises(OperationalError, match="a moment ago"):
            ask(connect())

    def test_it_goes_on_when_the_server_does(self, server, connect, monkeypatch):
        connection = connect()
        ask(connection)
        server.halt()
        with pytest.raises(OperationalError):
            ask(connection)
        server.resume()
        connection.close()
        monkeypatch.setattr(driver, "silence", driver._Silence())
        assert ask(connection) == (1,)


@pytest.mark.django_db
class TestSlow:
    def test_it_lets_the_server_end_a_statement(self, connect):
        """And keeps the connection."""
        connection = connect(answer_timeout=30, options="-c statement_timeout=100ms")
        with pytest.raises(OperationalError, match="statement timeout"):
            ask(connection, "SELECT pg_sleep(20)")
        assert ask(connection) == (1,)

    def test_it_has_no_bound_for_migrations(self, connect):
        connection = connect(answer_timeout=1, options="-c statement_timeout=500ms")
        with connection.schema_editor() as editor:
            editor.execute("SELECT pg_sleep(1.2)")
        assert ask(connection, "SHOW statement_timeout") == ("500ms",)
        with pytest.raises(OperationalError):
            ask(connection, "SELECT pg_sleep(5)")

    def test_it_changes_no_session_of_a_pooler_for_migrations(self, connect):
        connection = connect(pooler=True)
        ask(connection, "SELECT set_config('statement_timeout', '7s', false)")
        with connection.schema_editor():
            assert ask(connection, "SHOW statement_timeout") == ("7s",)
        assert ask(connection, "SHOW statement_timeout") == ("7s",)

    def test_it_puts_the_bounds_back_after_a_migration_that_failed(self, connect):
        connection = connect(options="-c statement_timeout=500ms")
        with pytest.raises(DatabaseError), connection.schema_editor() as editor:
            editor.execute("SELECT nothing")
        assert ask(connection, "SHOW statement_timeout") == ("500ms",)
        assert connection.connection.answer_timeout == 1
