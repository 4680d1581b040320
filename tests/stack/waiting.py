"""Waiting for something that another process does: asked often, never for long."""

import time
from collections.abc import Callable
from typing import TypeVar

INTERVAL_SECONDS = 0.05

T = TypeVar("T")


def eventually(
    ask: Callable[[], T],
    timeout: float,
    what: str | Callable[[], str],
    interval: float = INTERVAL_SECONDS,
) -> T:
    """The first answer that is true; AssertionError saying `what` did not come."""
    deadline = time.monotonic() + timeout
    while True:
        if answer := ask():
            return answer
        if time.monotonic() > deadline:
            text = what if isinstance(what, str) else what()
            raise AssertionError(f"not within {timeout} s: {text}")
        time.sleep(interval)
