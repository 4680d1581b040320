"""The example remote agent serves a caller's task, by mailbox and by endpoint."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from agents_app.kit import Agent, Task
from agents_app.kit import agent as kit
from agents_app.protocol import signing
from agents_app.protocol.codes import Code
from tests.journeys.calls import final_call
from tests.receiver import Receiver
from tests.services import free_port
from tests.stack import Client, Stack, eventually
from tests.stack.pair import wait_for_peer
from tests.stack.process import ROOT
from tests.stack.template import surroundings

pytestmark = pytest.mark.journey

PROGRAM = ROOT / "examples" / "remote_agent" / "agent.py"
# More than the body of a message may be.
PICTURE = bytes(range(256)) * 10_000
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


@pytest.fixture
def painter(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    """An agent with a mailbox whose results are files; nobody can call it."""
    monkeypatch.setattr(kit, "POLL_SECONDS", 0.2)
    secret = signing.new_secret()
    stack.manage("register_agent", "painter", "--secret", secret)
    agent = Agent(
        id="painter", secret=secret, node_url=stack.url, node_address=stack.address
    )

    @agent.handles("paint")
    def paint(task: Task) -> dict[str, object]:
        return {"file_id": task.attach("a.png", PICTURE, "image/png")}

    serving = threading.Thread(target=agent.run)
    serving.start()
    wait_for_peer(stack, "painter")
    yield agent
    agent.stop()
    serving.join(20)


@pytest.mark.usefixtures("painter")
def test_it_brings_a_file_to_the_caller_of_a_node_that_cannot_call_it(
    client: Client,
) -> None:
    task_id = client.submit("paint")
    file_id = client.result(task_id)["file_id"]

    def brought() -> bytes | None:
        answer = client.request("GET", f"/task/{task_id}/files/{file_id}")
        assert answer.ok or answer.json()["error"]["code"] == Code.FILE_NOT_READY
        return answer.content if answer.ok else None

    assert eventually(brought, 20, "the picture") == PICTURE
