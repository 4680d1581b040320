"""Follows a task to its end and shows where it stands: a bar, or lines in a file."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from agents_app.protocol.states import TERMINAL, public_status
from tasks_app.management.client import Client, Json, Unreachable

POLL_SECONDS = 0.5
# A server that restarts is back before this; see `_look`.
PATIENCE_SECONDS = 30.0

ENDS = {str(public_status(state)) for state in TERMINAL}


class Interrupted(Exception):
    """The person stopped watching; the task goes on."""


class View(Protocol):
    """Shows words, and progress in percent unless that is unknown now."""

    def __call__(self, percent: int | None, words: str) -> None: ...


def follow(api: Client, task_id: str, out: TextIO) -> Json:
    """The task as it ended. Raises like `Client`, and Interrupted on Ctrl-C."""
    try:
        with _view(out) as show:
            show(0, f"Task {task_id}")
            while True:
                task = _look(api, task_id, show)
                show(task["progress"], words(task))
                if task["status"] in ENDS:
                    return task
                time.sleep(POLL_SECONDS)
    except KeyboardInterrupt as stop:
        raise Interrupted(f"Task {task_id} goes on unwatched.") from stop


def words(task: Mapping[str, object]) -> str:
    """What the task does, or what it waits for."""
    action = task.get("pending_action")
    if not isinstance(action, Mapping):
        return f"{task['status']}: {task.get('message') or ''}".rstrip(": ")
    since = _clock(action.get("since"))
    if action.get("kind") == "human":
        return f"waits for an operator of level {action.get('level')} since {since}"
    missing = action.get("missing_fields")
    fields = missing if isinstance(missing, list) else []
    names = ", ".join(str(field["name"]) for field in fields)
    return (
        f"waits since {since} for information: {names} "
        f"(answer it: POST /task/{task['id']}/info)"
    )


def why_not(task: Mapping[str, object]) -> str:
    """Why there is no result."""
    error = task.get("error")
    if isinstance(error, Mapping):
        return f"Task {task['id']} failed: {error['message']} (code {error['code']})"
    return f"Task {task['id']} was {task['status']}: {task.get('message')}"


def _look(api: Client, task_id: str, show: View) -> Json:
    """The task now; waits for a server that is away for a moment."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            task: Json = api.get(f"/task/{task_id}")["task"]
        except Unreachable:
            if time.monotonic() > give_up_at:
                raise
            show(None, f"no answer from {api.url}; trying again")
            time.sleep(POLL_SECONDS)
        else:
            return task


@contextmanager
def _view(out: TextIO) -> Iterator[View]:
    console = Console(file=out)
    if not console.is_terminal:
        yield _Lines(out)
        return
    columns = (SpinnerColumn(), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    text = TextColumn("{task.description}", markup=False)
    with Progress(*columns, text, console=console) as progress:
        bar = progress.add_task("", total=100)

        def show(percent: int | None, words: str) -> None:
            progress.update(bar, completed=percent, description=words)

        yield show


class _Lines:
    """A line for each change."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._last = ""

    def __call__(self, percent: int | None, words: str) -> None:
        line = words if percent is None else f"{percent:>3} % {words}"
        if line != self._last:
            self._out.write(f"{line}\n")
            self._out.flush()
        self._last = line


def _clock(moment: object) -> str:
    """RFC 3339 as the clock on this person's wall."""
    if not isinstance(moment, str):
        return "?"
    return datetime.fromisoformat(moment).astimezone().strftime("%H:%M:%S")
