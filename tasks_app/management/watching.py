"""Follows a task to its end and shows where it stands: a bar, or lines in a file."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from agents_app.protocol.states import TERMINAL, public_status
from tasks_app.management.client import API, Client, Json, Unreachable, in_words

POLL_SECONDS = 0.5
# A server that restarts is back before this; see `_look`.
PATIENCE_SECONDS = 30.0

ADMIN = "/admin/tasks_app/humanrequest"
ENDS = {str(public_status(state)) for state in TERMINAL}


class Interrupted(Exception):
    """The person stopped watching; the task goes on."""


class View(Protocol):
    """Where a watcher looks."""

    def show(self, percent: int | None, words: str) -> None:
        """Where the task stands; progress in percent unless that is unknown now."""

    def tell(self, text: str) -> None:
        """Something to read, on lines of its own."""


def follow(api: Client, task_id: str, out: TextIO) -> Json:
    """The task as it ended. Raises like `Client`, and Interrupted on Ctrl-C."""
    asked = None
    try:
        with _view(out) as view:
            view.tell(f"Task {task_id}")
            while True:
                task = _look(api, task_id, view)
                action = task.get("pending_action") or {}
                if action and action.get("request_id") != asked:
                    asked = action.get("request_id")
                    view.tell(_question(api, task_id, action))
                view.show(task["progress"], words(task))
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
    return f"waits for information: {names} since {since}"


def _question(api: Client, task_id: str, action: Mapping[str, object]) -> str:
    """What is asked, and where it is answered."""
    lines = [f"Question: {action.get('reason') or 'see there'}"]
    if action.get("kind") == "human":
        page = f"{ADMIN}/{action.get('request_id')}/change/"
        return "\n".join([*lines, f"Decide it: {api.url}{page}"])
    where = f"POST {api.url}{API}/task/{task_id}/info"
    return "\n".join([*lines, f"Answer it: {where}"])


def why_not(task: Mapping[str, object]) -> str:
    """Why there is no result."""
    error = task.get("error")
    if isinstance(error, Mapping):
        return f"Task {task['id']} failed: {in_words(error)}"
    return f"Task {task['id']} was {task['status']}: {task.get('message')}"


def _look(api: Client, task_id: str, view: View) -> Json:
    """The task now; waits for a server that is away for a moment."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            task: Json = api.get(f"/task/{task_id}")["task"]
        except Unreachable:
            if time.monotonic() > give_up_at:
                raise
            view.show(None, f"no answer from {api.url}; trying again")
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
        yield _Bar(progress)


class _Bar:
    """One line that changes, and what is told above it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar = progress.add_task("", total=100)

    def show(self, percent: int | None, words: str) -> None:
        self._progress.update(self._bar, completed=percent, description=words)

    def tell(self, text: str) -> None:
        # Soft: an address that is cut into lines cannot be clicked.
        self._progress.console.print(
            text, markup=False, highlight=False, soft_wrap=True
        )


class _Lines:
    """A line for each change."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._last = ""

    def show(self, percent: int | None, words: str) -> None:
        line = words if percent is None else f"{percent:>3} % {words}"
        if line != self._last:
            self.tell(line)
        self._last = line

    def tell(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()


def _clock(moment: object) -> str:
    """RFC 3339 as the clock on this person's wall."""
    if not isinstance(moment, str):
        return "?"
    return datetime.fromisoformat(moment).astimezone().strftime("%H:%M:%S")
