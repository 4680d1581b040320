"""The two example agents, as programs, before a node that only records."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from agents_app.protocol.payloads import (
    DecidedBy,
    Decision,
    HumanDecision,
    TaskInfoProvided,
    TaskRequest,
)
from tests.kit.conftest import SECRET

EXAMPLES = Path(__file__).parents[2] / "examples"
VECTORS = Path(__file__).parents[1] / "protocol" / "signature_vectors.json"
PYTHON = (sys.executable, str(EXAMPLES / "remote_agent" / "agent.py"))
NODE_JS = ("node", str(EXAMPLES / "remote_agent_node" / "agent.mjs"))

needs_node_js = pytest.mark.skipif(
    shutil.which("node") is None, reason="there is no Node.js here"
)
BOTH = [
    pytest.param(PYTHON, id="python"),
    pytest.param(NODE_JS, id="node", marks=needs_node_js),
]
Start = Callable[[Sequence[str]], None]


@pytest.fixture
def start(node) -> Iterator[Start]:
    """Starts an example as agent:ada, by mailbox."""
    begun: list[subprocess.Popen[bytes]] = []

    def run(command: Sequence[str]) -> None:
        environ = {
            "PATH": os.environ["PATH"],
            "SYNAPSE_URL": node.url,
            "AGENT_ID": "ada",
            "AGENT_SECRET": SECRET,
        }
        begun.append(subprocess.Popen(command, env=environ))

    yield run
    for process in begun:
        process.terminate()
        assert process.wait(10) == 0


def said(node, kind):
    found = node.wait_for(lambda one: one.type == f"p2p:{kind}", 20)
    assert found, [envelope.type for envelope in node.heard]
    return found.content()


@pytest.mark.parametrize("command", BOTH)
def test_it_asks_for_the_text_and_for_leave(node, start, command) -> None:
    node.put(TaskRequest(task_id="t1", task_type="count_words", payload={"ask": True}))
    start(command)
    info = said(node, "task_need_info")
    assert [field.name for field in info.missing_fields] == ["text"]
    facts = {"text": "one three seventeen"}
    node.put(
        TaskInfoProvided(task_id="t1", request_id=info.request_id, provided_info=facts)
    )
    human = said(node, "task_need_human")
    node.put(
        HumanDecision(
            task_id="t1",
            request_id=human.request_id,
            decision=Decision(action="select", option_id="publish"),
            decided_by=DecidedBy(user_id="olga", role="operator"),
        )
    )
    result = said(node, "task_complete").result
    assert result == {"words": 3, "longest": "seventeen", "decided_by": "olga"}


@pytest.mark.parametrize("command", BOTH)
def test_it_rejects_a_text_that_is_none(node, start, command) -> None:
    node.put(TaskRequest(task_id="t1", task_type="count_words", payload={"text": 7}))
    start(command)
    assert said(node, "task_reject").reason.code == 4002


@pytest.mark.parametrize("command", BOTH)
def test_it_offers_its_task_type(node, start, command) -> None:
    start(command)
    offers = said(node, "capability_response").supported_task_types
    assert [offer.type for offer in offers] == ["count_words"]


@needs_node_js
def test_it_passes_the_signature_vectors() -> None:
    done = subprocess.run(
        [*NODE_JS, "--vectors", str(VECTORS)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_short_for_its_author() -> None:
    lines = Path(PYTHON[1]).read_text("utf-8").splitlines()
    assert len(lines) < 80
