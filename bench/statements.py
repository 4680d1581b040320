"""Counts SQL statements and commits in one process: `python -m bench.statements`.

A submit goes through the whole web stack (Django's test client), a task through the
runner. Nothing else may work in the lane meanwhile.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import django
from django.conf import settings
from django.db import connection
from django.test import Client

LANE = "parked"
BATCH = 50


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Statements, without BEGIN and COMMIT, and commits of what was written."""
    seen: Counter[str] = Counter()
    commit = connection.commit
    written: list[str] = []

    def execute(
        run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if not sql.startswith("BEGIN"):
            seen["statements"] += 1
            if not sql.startswith("SELECT"):
                written.append(sql)
                if not connection.in_atomic_block:
                    end()
        return run(sql, params, many, context)

    def end() -> None:
        seen["commits"] += bool(written)
        written.clear()

    def counted_commit() -> None:
        end()
        commit()

    commits = mock.patch.object(connection, "commit", counted_commit)
    with connection.execute_wrapper(execute), commits:
        yield seen


def main() -> dict[str, dict[str, float]]:
    from bench.subject import API, PAYLOAD, caller_with_key
    from tasks_app import queue, runner

    settings.ALLOWED_HOSTS.append("testserver")
    _, key = caller_with_key()
    web = Client(headers={"X-API-Key": key})
    body = {"task_type": f"bench_{LANE}", "payload": PAYLOAD}

    def submit(times: int = 1) -> None:
        for _ in range(times):
            answer = web.post(f"{API}/task", body, content_type="application/json")
            assert answer.status_code == 202, answer.content

    def drain() -> None:
        runner.drain(LANE)

    found: dict[str, dict[str, float]] = {}
    with mock.patch.object(queue, "_ring"), mock.patch.object(queue, "_take_down"):
        submit()
        drain()
        with counted() as seen:
            submit()
        found["submit"] = dict(seen)
        with counted() as seen:
            drain()
        found["task alone"] = dict(seen)
        submit(BATCH)
        with counted() as seen:
            drain()
        found[f"task of {BATCH}"] = {name: n / BATCH for name, n in seen.items()}
    return found


if __name__ == "__main__":
    django.setup()
    json.dump(main(), sys.stdout)
