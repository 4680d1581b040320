"""Workers that die, sleep or are poisoned: the rows heal them."""

import os
import signal
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from agents_app.protocol.codes import Code
from tests.stack import Client, Process, Stack, eventually
from tests.stack.product import LEASE_SECONDS, SWEEP_SECONDS

pytestmark = pytest.mark.journey

# G05: from the fault to the next attempt.
HEALED_WITHIN = timedelta(seconds=LEASE_SECONDS + SWEEP_SECONDS + 2)


def begin(stack: Stack, client: Client, file: str, **payload: object) -> str:
    """A task of several seconds whose handler has done all its steps."""
    steps = int(str(payload.get("steps", 0)))
    task_id = client.submit("probe_ledger", {"file": file, **payload})
    eventually(lambda: len(stack.notes(file)) > steps, 10, f"the steps of {file}")
    return task_id


def runner_of(stack: Stack, file: str) -> int:
    """The process that runs the latest attempt."""
    pid: int = stack.notes(file)[-1]["pid"]
    return pid


def group_of(stack: Stack, pid: int) -> Process:
    """The worker that this process belongs to."""
    group = os.getpgid(pid)
    return next(one for one in stack.services.values() if one.pid == group)


def started(stack: Stack, task_id: str, number: int) -> datetime:
    """When that attempt began, by its record."""
    attempts = stack.ledger.attempts(task_id)
    return next(one.started_at for one in attempts if one.number == number)


def test_g05_a_killed_child_is_replaced_and_no_step_redone(faults: Stack) -> None:
    client = faults.client()
    task_id = begin(faults, client, "child", steps=3, seconds=2)
    killed_at = datetime.now(UTC)
    os.kill(runner_of(faults, "child"), signal.SIGKILL)
    assert client.result(task_id) == {"attempt": 2}
    assert started(faults, task_id, 2) - killed_at < HEALED_WITHIN
    events = Counter(note["event"] for note in faults.notes("child"))
    assert events == {
        "start": 2,
        "effect-0": 1,
        "effect-1": 1,
        "effect-2": 1,
        "end": 1,
    }


def test_g05_a_killed_parent_takes_its_children_along(faults: Stack) -> None:
    client = faults.client()
    with faults.extra_worker():
        task_id = begin(faults, client, "parent", steps=2, seconds=2)
        killed_at = datetime.now(UTC)
        group_of(faults, runner_of(faults, "parent")).kill_parent()
        assert client.result(task_id) == {"attempt": 2}
    assert started(faults, task_id, 2) - killed_at < HEALED_WITHIN
    events = Counter(note["event"] for note in faults.notes("parent"))
    assert events == {"start": 2, "effect-0": 1, "effect-1": 1, "end": 1}


def test_g02_a_sleeper_that_wakes_changes_nothing(faults: Stack) -> None:
    client = faults.client()
    with faults.extra_worker() as other:
        task_id = begin(faults, client, "sleeper", seconds=1, hard=True)
        pid = runner_of(faults, "sleeper")
        sleeper = group_of(faults, pid)
        sleeper.pause()
        assert client.result(task_id) == {"attempt": 2}
        ended = client.task(task_id)
        (faults.worker if sleeper is other else other).kill()
        sleeper.resume()
        eventually(lambda: "end" in events(faults, "sleeper", pid), 10, "its own end")
        # Once its slot runs something else, it has tried to write what it had.
        later = [
            client.submit("probe_ledger", {"file": "sleeper-next", "seconds": 0.5})
            for _ in range(2)
        ]
        for task_id in later:
            client.result(task_id)
        assert events(faults, "sleeper-next", pid)
        assert client.task(ended["id"]) == ended


def events(stack: Stack, file: str, pid: int) -> list[str]:
    """What this process wrote to the file."""
    return [note["event"] for note in stack.notes(file) if note["pid"] == pid]


def test_it_finishes_what_it_does_when_asked_to_stop(faults: Stack) -> None:
    client = faults.client()
    client.result(client.submit("probe_ledger", {"file": "first"}))
    # One of the two processes is not the one that the worker began with.
    os.kill(runner_of(faults, "first"), signal.SIGKILL)
    tasks = [begin(faults, client, f"last-{n}", seconds=1.5) for n in range(2)]
    faults.worker.stop()
    for number, task_id in enumerate(tasks):
        assert client.task(task_id)["result"] == {"attempt": 1}
        assert len(faults.notes(f"last-{number}")) == 2


def test_g06_poison_is_bounded(faults: Stack) -> None:
    client = faults.client()
    poison = client.submit("probe_crash")
    short = [client.submit("probe_sleep", {"seconds": 1}) for _ in range(3)]
    # Longer than a lease, and deaf meanwhile: it is renewed for it.
    long = client.submit("probe_sleep", {"seconds": LEASE_SECONDS + 2, "hard": True})
    task = client.end(poison, timeout=40)
    assert task["status"] == "failed"
    assert task["error"]["code"] == Code.ATTEMPTS_EXHAUSTED
    assert [row.outcome for row in faults.ledger.attempts(poison)] == ["lost"] * 3
    for task_id in [*short, long]:
        client.wait_for(task_id, "completed")
        assert faults.ledger.task(task_id).attempt == 1
