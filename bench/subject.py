"""The running product and the baselines as the measures see them.

Imports the product's models, so only once Django is set up.
"""

import http.client
import json
import sqlite3
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import psycopg
from django.conf import settings
from django.db import connection, transaction

from bench.baseline import raw
from bench.load import Load
from bench.stack import Stack, until
from tasks_app import lifecycle, queue
from tasks_app.lifecycle import Submission
from tasks_app.models import Caller, CallerKey, Task

PAYLOAD = {"invoice": "INV-2207", "limit": 500, "note": "Please check the total."}
API = "/api/v1/synapse"
WAIT_SECONDS = 120.0
# How often the end of a single task is looked for.
IDLE_STEP = 0.002


def caller_with_key() -> tuple[uuid.UUID, str]:
    """A new caller and its key in clear text."""
    caller = Caller.objects.create(name=f"bench-{uuid.uuid4()}")
    _, key = CallerKey.objects.create_key(name="bench", caller=caller)
    return caller.id, key


@dataclass(kw_only=True)
class Product:
    """Synapse over HTTP, and its rows."""

    stack: Stack
    caller_id: uuid.UUID
    key: str

    def submit_load(self, lane: str, seconds: float) -> Load:
        """Submits with an idempotency key each, to a lane."""
        return Load(
            port=self.stack.web_port,
            method="POST",
            path=f"{API}/task",
            headers={"X-API-Key": self.key, "Idempotency-Key": "{n}"},
            body=json.dumps({"task_type": f"bench_{lane}", "payload": PAYLOAD}),
            seconds=seconds,
            first=time.time_ns(),
        )

    def read_load(self, path: str, seconds: float, connections: int = 32) -> Load:
        return Load(
            port=self.stack.web_port,
            method="GET",
            path=f"{API}/{path}",
            headers={"X-API-Key": self.key},
            seconds=seconds,
            connections=connections,
        )

    def submit(self, web: http.client.HTTPConnection) -> uuid.UUID:
        """One task for the default lane, over HTTP."""
        body = json.dumps({"task_type": "bench_default", "payload": PAYLOAD})
        headers = {"X-API-Key": self.key, "Content-Type": "application/json"}
        return uuid.UUID(_post(web, f"{API}/task", body, headers)["task_id"])

    def fill(self, lane: str, count: int) -> None:
        """A backlog that no bell tells of."""
        with transaction.atomic(), mock.patch.object(queue, "ring"):
            for _ in range(count):
                wanted = Submission(
                    caller_id=self.caller_id,
                    task_type=f"bench_{lane}",
                    payload=PAYLOAD,
                )
                lifecycle.submit(wanted)

    def drain(self, lane: str, count: int) -> float:
        """Tasks per second, from the bell until every row of a backlog is complete."""
        self.fill(lane, count)
        began = time.monotonic()
        queue.ring(lane)
        self.wait_until_done(lane)
        return count / (time.monotonic() - began)

    def one_completed(self) -> uuid.UUID:
        """The id of a task that has ended."""
        self.drain("default", 1)
        ended = Task.objects.filter(caller_id=self.caller_id, state="completed")
        return ended.values_list("id", flat=True)[0]

    def idle_latency(self, web: http.client.HTTPConnection) -> tuple[float, float]:
        """Milliseconds from a submit to its handler's start, and to completed."""
        sent = time.time()
        row = Task.objects.filter(id=self.submit(web), state="completed")
        row = row.values_list("result", flat=True)
        until(lambda: row.first(), "a single task", step=IDLE_STEP)
        seen = time.time()
        return (row.get()["at"] - sent) * 1000, (seen - sent) * 1000

    def wait_until_done(self, lane: str) -> None:
        until(lambda: not self._busy(lane), f"lane {lane}", WAIT_SECONDS)

    def _busy(self, lane: str) -> bool:
        """Asked often: two looks at small partial indexes."""
        live = Task.objects.filter(leased_until__isnull=False)
        queued = Task.objects.filter(lane=lane, queue_key__isnull=False)
        return queued.exists() or live.exists()


class Rows:
    """The baseline's own database, read without Django."""

    def __init__(self) -> None:
        self.execute: Callable[[str], Any]
        if connection.vendor == "postgresql":
            parameters = connection.get_connection_params()
            parameters = {k: parameters[k] for k in ("host", "port", "user", "dbname")}
            self.execute = psycopg.connect(**parameters, autocommit=True).execute
        else:
            path = Path(settings.DATA_DIR, "baseline.sqlite3")
            self.execute = sqlite3.connect(path, isolation_level=None).execute

    def one(self, sql: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self.execute(sql).fetchone()
        return row


@dataclass(kw_only=True)
class Baseline:
    """The bare views, the hand-written version, raw Celery."""

    stack: Stack
    key: str
    rows: Rows = field(default_factory=Rows)

    def load(self, method: str, path: str, seconds: float) -> Load:
        body = json.dumps({"task_type": "bench", "payload": PAYLOAD})
        return Load(
            port=self.stack.bare_port,
            method=method,
            path=path,
            headers={"Authorization": f"Api-Key {self.key}"},
            body=body if method == "POST" else "",
            seconds=seconds,
        )

    def submit(self, web: http.client.HTTPConnection) -> int:
        body = json.dumps({"task_type": "bench", "payload": PAYLOAD})
        headers = {"Content-Type": "application/json"}
        return int(_post(web, "/submit", body, headers)["id"])

    def one_completed(self) -> int:
        """The id of a row that has ended."""
        web = http.client.HTTPConnection("127.0.0.1", self.stack.bare_port, timeout=30)
        with closing(web):
            row = self.submit(web)
        self.wait_until_done()
        return row

    def idle_latency(self, web: http.client.HTTPConnection) -> tuple[float, float]:
        sent = time.time()
        sql = (
            f"SELECT state, started_at FROM baseline_row WHERE id = {self.submit(web)}"  # noqa: S608
        )
        until(
            lambda: self.rows.one(sql)[0] == "completed",
            "a hand-written task",
            step=IDLE_STEP,
        )
        seen = time.time()
        return (self.rows.one(sql)[1] - sent) * 1000, (seen - sent) * 1000

    def wait_until_done(self) -> None:
        sql = "SELECT COUNT(*) FROM baseline_row WHERE state <> 'completed'"
        until(lambda: not self.rows.one(sql)[0], "hand-written", WAIT_SECONDS)

    def raw_drain(self, count: int) -> float:
        """Messages per second of raw Celery; publishing is not counted."""
        marks = self.stack.folder / "marks"
        marks.unlink(missing_ok=True)
        with self.stack.paused("raw"):
            for _ in range(count - 2):
                raw.noop.delay()
            for _ in range(2):  # One for each slot.
                raw.mark.delay(str(marks))
            began = time.time()
        until(lambda: len(_floats(marks)) == 2, "raw Celery", WAIT_SECONDS)
        return count / (max(_floats(marks)) - began)


def _post(
    web: http.client.HTTPConnection, path: str, body: str, headers: dict[str, str]
) -> dict[str, Any]:
    web.request("POST", path, body, headers)
    answer = web.getresponse()
    text = answer.read()
    if answer.status != 202:
        raise RuntimeError(f"{path}: {answer.status} {text[-500:]!r}")
    found: dict[str, Any] = json.loads(text)
    return found


def _floats(path: Path) -> list[float]:
    if not path.exists():
        return []
    return [float(line) for line in path.read_text().splitlines()]
