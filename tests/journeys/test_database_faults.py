"""The database cuts connections, restarts, halts, or is held by a long writer.

No finished work is lost and no step is done twice for it; callers hear it in seconds.
"""

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest
import requests

from tests.journeys.conftest import check
from tests.receiver import Receiver
from tests.services import PostgresServer, postgres_server
from tests.stack import PRODUCTION, Client, Stack, Template, eventually

pytestmark = pytest.mark.journey

needs_postgres = pytest.mark.skipif(
    not PRODUCTION, reason="the embedded database is no server"
)
STEPS = 3
# Longer than any outage here, as by default; still short enough to see one run out.
LEASE = {"SYNAPSE_LEASE_SECONDS": "20", "SYNAPSE_LEASE_RENEW_SECONDS": "5"}
# What the web process waits for an answer or a lock, and somewhat more.
TOLD_WITHIN = 12.0


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One that nobody else uses."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="module")
def on_server(
    server: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    template = Template.make(tmp_path_factory.mktemp("template"), server.url)
    with Stack(template, tmp_path_factory.mktemp("stack"), **LEASE) as stack:
        yield stack


@pytest.fixture
def shaky(
    on_server: Stack, server: PostgresServer, receiver: Receiver
) -> Iterator[Stack]:
    """A stack whose database may be tormented; its history is checked afterwards."""
    on_server.replies.clear()
    yield on_server
    server.resume()
    on_server.heal()
    check(on_server, receiver)


@pytest.fixture
def embedded(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    with Stack(template, tmp_path_factory.mktemp("held"), **LEASE) as stack:
        yield stack


def load(client: Client, name: str, count: int = 12) -> list[str]:
    """Tasks that keep two slots busy for some seconds, each with a file of its own."""
    return [
        client.submit(
            "probe_ledger",
            {"file": f"{name}-{number}", "steps": STEPS, "seconds": 0.6},
        )
        for number in range(count)
    ]


def under_way(stack: Stack, name: str) -> None:
    """Until the first of them has ended."""
    eventually(lambda: len(stack.notes(f"{name}-0")) == STEPS + 2, 20, "the first end")


def all_once(stack: Stack, client: Client, name: str, tasks: list[str]) -> None:
    """Each completed by its first attempt, and each step was done once."""
    once = {"start", "end", *(f"effect-{number}" for number in range(STEPS))}
    for number, task_id in enumerate(tasks):
        assert client.result(task_id, timeout=60) == {"attempt": 1}
        seen = Counter(note["event"] for note in stack.notes(f"{name}-{number}"))
        assert seen == dict.fromkeys(once, 1)


def told(stack: Stack) -> tuple[int, float]:
    """What a caller is told who asks now, and after how long."""
    began = time.monotonic()
    answer = stack.client().request("GET", "/tasks", timeout=30)
    return answer.status_code, time.monotonic() - began


def answers_again(stack: Stack) -> None:
    def fine() -> bool:
        return stack.client().request("GET", "/tasks", timeout=30).ok

    eventually(fine, 20, "an answer")


@needs_postgres
def test_g09_connections_that_are_cut_cost_no_work(
    shaky: Stack, server: PostgresServer
) -> None:
    client = shaky.client()
    tasks = load(client, "cut")
    with psycopg.connect(server.url, autocommit=True) as other:
        while not shaky.notes("cut-11"):
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            time.sleep(0.3)
    answers_again(shaky)
    all_once(shaky, client, "cut", tasks)


@needs_postgres
def test_g09_a_restart_of_the_database_costs_no_work(
    shaky: Stack, server: PostgresServer
) -> None:
    client = shaky.client()
    tasks = load(client, "restart")
    under_way(shaky, "restart")
    server.stop()
    assert told(shaky)[0] == 503
    time.sleep(5)  # It takes its time to come back.
    server.start()
    answers_again(shaky)
    all_once(shaky, client, "restart", tasks)


@needs_postgres
def test_g51_a_silent_database_holds_no_caller_for_long(
    shaky: Stack, server: PostgresServer
) -> None:
    """However many ask: those who queue for a thread do not wait one by one."""
    client = shaky.client()
    tasks = load(client, "halt")
    under_way(shaky, "halt")
    server.halt()
    began = time.monotonic()
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(told, [shaky] * 16))
    time.sleep(max(0.0, 10 - (time.monotonic() - began)))
    server.resume()
    assert {code for code, _ in answers} == {503}
    assert max(seconds for _, seconds in answers) < TOLD_WITHIN
    answers_again(shaky)
    all_once(shaky, client, "halt", tasks)


@pytest.mark.skipif(PRODUCTION, reason="PostgreSQL has many writers")
def test_g51_a_long_writer_holds_callers_less_than_workers(embedded: Stack) -> None:
    client = embedded.client()
    tasks = load(client, "held", count=4)
    under_way(embedded, "held")
    path = embedded.folder / "synapse.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        answer = submitted(client)
        took = time.monotonic() - began
        time.sleep(max(0.0, 11 - took))
        writer.execute("ROLLBACK")
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert took < TOLD_WITHIN
    all_once(embedded, client, "held", tasks)


def submitted(client: Client) -> requests.Response:
    body = {"task_type": "probe_echo", "payload": {}}
    return client.request("POST", "/task", timeout=30, json=body)
