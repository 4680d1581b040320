"""`manage.py submit` as a user types it, against the real thing."""

import json
import subprocess
import sys

import pytest

from tests.agents.papers import EXAMPLES
from tests.stack import Client, Stack
from tests.stack.process import ROOT
from tests.stack.template import surroundings

pytestmark = pytest.mark.journey


def command(stack: Stack, *words: str) -> subprocess.Popen[str]:
    """`manage.py` on another machine: no data folder, no database of the stack."""
    environ = surroundings() | {
        "SECRET_KEY": "for the command only",
        "SYNAPSE_DATA_DIR": str(stack.folder / "elsewhere"),
        "SYNAPSE_URL": stack.url,
        "SYNAPSE_API_KEY": stack.client().key,
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_follows_an_invoice_through_all_that_it_waits_for(
    stack: Stack, client: Client
) -> None:
    file = str(EXAMPLES / "invoice-without-date.pdf")
    words = ["invoice_approval", "--file", file, "--external-id", "typed", "--watch"]
    shell = command(stack, "submit", *words)
    assert shell.stderr is not None
    assert "Task" in shell.stderr.readline()
    (task,) = client.call("GET", "/tasks?external_task_id=typed")["tasks"]
    client.wait_for(task["id"], "info_needed")
    told = [shell.stderr.readline()]
    while "information" not in told[-1]:
        told.append(shell.stderr.readline())
    assert "information: date" in told[-1]
    client.info(task["id"], date="2024-05-31")
    client.wait_for(task["id"], "need_human")
    while "operator" not in told[-1]:
        told.append(shell.stderr.readline())
    assert "operator of level 1 since" in told[-1]
    stack.operator().decide(task["id"], "approve")
    out, _ = shell.communicate(timeout=30)
    assert json.loads(out)["decision"] == "approved"
    assert shell.returncode == 0
    assert not (stack.folder / "elsewhere").exists()


def test_it_tells_why_there_is_no_result(stack: Stack) -> None:
    payload = '{"message": "No paper."}'
    shell = command(stack, "submit", "probe_fail", "--payload", payload, "--watch")
    out, told = shell.communicate(timeout=30)
    assert (shell.returncode, out) == (1, "")
    assert "failed: No paper. (code 2006)" in told


def test_it_tells_what_is_wrong_with_the_input(stack: Stack) -> None:
    shell = command(stack, "submit", "probe_sleep", "--payload", '{"seconds": -1}')
    out, told = shell.communicate(timeout=30)
    assert (shell.returncode, out) == (2, "")
    assert "seconds: " in told
