"""Waiting for something that another process does: asked often, never for long."""

import os
import time
from collections.abc import Callable
from typing import TypeVar

INTERVAL_SECONDS = 0.05

T = TypeVar("T")


def patience() -> float:
    """How many times as long as usual things may take just now.

    What waits for a processor is not late: bounds are for a machine that is ours.
    """
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def eventually(
    ask: Callable[[], T],
    timeout: float,
    what: str | Callable[[], str],
    interval: float = INTERVAL_SECONDS,
) -> T:
    """The first answer that is true; AssertionError saying `what` did not come.

    `timeout` in seconds, on a machine with nothing else to do.
    """
    timeout *= patience()
    deadline = time.monotonic() + timeout
    while True:
        if answer := ask():
            return answer
        if time.monotonic() > deadline:
            text = what if isinstance(what, str) else what()
            raise AssertionError(f"not within {timeout:.0f} s: {text}")
        time.sleep(interval)
