"""What tests of the runner share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from agents_app.probes import probe_path
from tasks_app import runner
from tasks_app.changes import Snapshot
from tasks_app.models import Task
from tests.factories import submitted


@pytest.fixture(autouse=True)
def probe_dir(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where probes count and note what they did."""
    monkeypatch.setenv("SYNAPSE_PROBE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def effects(probe_dir: Path) -> Callable[[], list[str]]:
    """What `probe_ledger` noted in the file `notes`, in order."""

    def read() -> list[str]:
        lines = probe_path("notes").read_text().splitlines()
        return [json.loads(line)["event"] for line in lines]

    return read


@pytest.fixture
def run(caller: Any) -> Callable[..., Snapshot]:
    """Submits a task and runs all that is ready."""

    def submit_and_drain(task_type: str = "test_type", **fields: object) -> Snapshot:
        task = submitted(caller, task_type, **fields)
        runner.drain("default")
        return task

    return submit_and_drain


@pytest.fixture
def run_again() -> Callable[[], None]:
    """Runs what waits for its next try, as if the wait were over."""

    def drain() -> None:
        Task.objects.filter(ready_at__isnull=False).update(ready_at=timezone.now())
        runner.drain("default")

    return drain
