"""The example remote agent serves a caller's task, by mailbox and by endpoint."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from agents_app.protocol import signing
from tests.journeys.calls import final_call
from tests.receiver import Receiver
from tests.services import free_port
from tests.stack import Client, Stack
from tests.stack.pair import wait_for_peer
from tests.stack.process import ROOT
from tests.stack.template import surroundings

pytestmark = pytest.mark.journey

PROGRAM = ROOT / "examples" / "remote_agent" / "agent.py"
Start = Callable[..., None]


@pytest.fixture
def client(stack: Stack) -> Client:
    """A caller of a node of its own: these agents beat slowly."""
    return stack.client()


@pytest.fixture
def start(stack: Stack) -> Iterator[Start]:
    """Registers the example under this name and runs it."""
    running: list[subprocess.Popen[bytes]] = []

    def run(name: str, port: int | None = None) -> None:
        secret = signing.new_secret()
        endpoint = f"http://127.0.0.1:{port}/" if port else ""
        words = ("--secret", secret, "--endpoint", endpoint)
        stack.manage("register_agent", name, *words)
        environ = {
            "AGENT_ID": name,
            "AGENT_SECRET": secret,
            "AGENT_PORT": str(port or 0),
            "SYNAPSE_URL": stack.url,
        }
        running.append(
            subprocess.Popen([sys.executable, PROGRAM], env=surroundings() | environ)
        )
        wait_for_peer(stack, name)

    yield run
    for process in running:
        process.terminate()
        assert process.wait(20) == 0


@pytest.mark.parametrize("port", [None, free_port()], ids=["mailbox", "endpoint"])
def test_it_serves_a_task_that_asks_for_text_and_for_leave(
    stack: Stack,
    client: Client,
    receiver: Receiver,
    start: Start,
    port: int | None,
) -> None:
    name = "counter-called" if port else "counter-fetching"
    start(name, port)
    task_id = client.submit(
        "count_words", {"ask": True}, agent_id=name, callback_url=receiver.url()
    )
    asked = client.wait_for(task_id, "info_needed")["pending_action"]
    assert [field["name"] for field in asked["missing_fields"]] == ["text"]
    client.info(task_id, text="one three seventeen")
    client.wait_for(task_id, "need_human")
    assert stack.operator().decide(task_id, "select", option_id="publish").ok
    result = client.result(task_id)
    assert (result["words"], result["longest"]) == (3, "seventeen")
    assert final_call(receiver, task_id).json()["result"] == result
