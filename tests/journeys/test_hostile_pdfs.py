"""A PDF that takes too much fails its own task; its worker goes on (G06, G11)."""

import sys
from pathlib import Path

import pytest

from tests.agents.hostile_papers import busy_page, forms_within_forms
from tests.stack import Client, Stack

pytestmark = pytest.mark.journey


def submitted(client: Client, folder: Path, data: bytes) -> str:
    (folder / "a.pdf").write_bytes(data)
    return client.submit_file("document_text", folder / "a.pdf")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a memory limit")
def test_it_fails_the_task_and_costs_no_attempt(
    stack: Stack, client: Client, tmp_path: Path
) -> None:
    task_id = submitted(client, tmp_path, forms_within_forms())
    task = client.wait_for(task_id, "failed")
    assert task["error"]["code"] == 2006
    assert "takes too much memory" in task["error"]["message"]
    assert stack.ledger.task(task_id).attempt == 1


def test_it_stops_reading_when_the_task_is_cancelled(
    client: Client, tmp_path: Path
) -> None:
    slow = busy_page(50, pages=5_000)
    tasks = [submitted(client, tmp_path, slow) for _ in range(2)]
    for task_id in tasks:
        client.wait_for(task_id, "executing")
        assert client.cancel(task_id).status_code == 200
    # Both slots are free again.
    client.result(client.submit("probe_echo"))
