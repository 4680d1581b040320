"""Runs functions at the same moment, each in a thread with its own connection."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, TimeoutError
from contextlib import suppress
from typing import Any

from django.db import connections


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
        self._function = function
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def wait_a_moment(self) -> None:
        """Long enough for it to end, unless something holds it up."""
        with suppress(TimeoutError):
            self._came_to.result(timeout=0.5)

    def result(self) -> Any:
        """What it returned, or what it raised."""
        self._thread.join()
        return self._came_to.result()

    def _run(self) -> None:
        try:
            self._came_to.set_result(self._function())
        except Exception as raised:  # noqa: BLE001 - the test meets it in `result`
            self._came_to.set_exception(raised)
        finally:
            connections.close_all()


def beside(function: Callable[[], Any]) -> Beside:
    """Start it now, in a thread with its own connection."""
    return Beside(function)
