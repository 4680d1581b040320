"""Runs functions at the same moment, each in a thread with its own connection."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from django.db import connection, connections

from tests.stack.waiting import eventually

# `pg_locks`, because what other views show is remembered to the end of a transaction.
_HELD_UP_BY_US = (
    "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted "
    "AND pg_backend_pid() = ANY(pg_blocking_pids(pid)))"
)


def race(*functions: Callable[[], Any]) -> list[Any]:
    """What each returned or raised, in the order given."""
    results: list[Any] = [None] * len(functions)
    start = threading.Barrier(len(functions))

    def run(place: int, function: Callable[[], Any]) -> None:
        try:
            start.wait(timeout=10)
            results[place] = function()
        except Exception as raised:  # noqa: BLE001 - it is what the test looks at
            results[place] = raised
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=one) for one in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class Beside:
    """A function at work in another thread, while the test goes on."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._came_to: Future[Any] = Future()
        self._asks = threading.Event()
        self._function = function
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def wait_until_held_up(self) -> None:
        """Until it waits for this thread's transaction, or has ended.

        SQLite does not tell who waits: until it is about to ask its first statement.
        """
        held_up = _holds_others_up if connection.vendor == "postgresql" else self._asked
        eventually(
            lambda: self._came_to.done() or held_up(),
            timeout=20,
            what="a wait for our transaction",
            interval=0.01,
        )

    def result(self) -> Any:
        """What it returned, or what it raised."""
        self._thread.join()
        return self._came_to.result()

    def _asked(self) -> bool:
        return self._asks.is_set()

    # Any: as Django has it.
    def _note(self, execute: Any, *statement: Any) -> Any:
        self._asks.set()
        return execute(*statement)

    def _run(self) -> None:
        try:
            with connection.execute_wrapper(self._note):
                self._came_to.set_result(self._function())
        except Exception as raised:  # noqa: BLE001 - the test meets it in `result`
            self._came_to.set_exception(raised)
        finally:
            connections.close_all()


def _holds_others_up() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_HELD_UP_BY_US)
        return bool(cursor.fetchone()[0])


def beside(function: Callable[[], Any]) -> Beside:
    """Start it now, in a thread with its own connection."""
    return Beside(function)
