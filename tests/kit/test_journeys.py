"""Both examples serve a caller of a real node by mailbox, also after a power cut."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from secrets import token_hex

import pytest

from agents_app.protocol import signing
from tests.stack import Client, Stack, Template, eventually
from tests.stack.pair import wait_for_peer
from tests.stack.process import ROOT
from tests.stack.template import surroundings

pytestmark = pytest.mark.journey

EXAMPLES = {
    "python": (sys.executable, str(ROOT / "examples/remote_agent/agent.py")),
    "node": ("node", str(ROOT / "examples/remote_agent_node/agent.mjs")),
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    template = Template.make(tmp_path_factory.mktemp("template"))
    with Stack(template, tmp_path_factory.mktemp("stack")) as running:
        yield running
    template.drop()


@pytest.fixture
def client(stack: Stack) -> Client:
    return stack.client()


@pytest.fixture(params=EXAMPLES)
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "node" and shutil.which("node") is None:
        pytest.skip("there is no Node.js here")
    return str(request.param)


class Example:
    """One of the two, known to the node under `id`."""

    def __init__(self, stack: Stack, name: str) -> None:
        self.id = f"{name}-{token_hex(4)}"
        self._stack = stack
        self._command = EXAMPLES[name]
        secret = signing.new_secret()
        stack.manage("register_agent", self.id, "--secret", secret)
        self._environ = surroundings() | {
            "AGENT_ID": self.id,
            "AGENT_SECRET": secret,
            "SYNAPSE_URL": stack.url,
        }

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, env=self._environ)
        wait_for_peer(self._stack, self.id)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def agent(stack: Stack, name: str) -> Iterator[Example]:
    example = Example(stack, name)
    example.start()
    yield example
    example.kill()


def test_it_serves_a_task(client: Client, agent: Example) -> None:
    payload = {"text": "one two three"}
    task_id = client.submit("count_words", payload, agent_id=agent.id)
    assert client.result(task_id)["words"] == 3


def test_it_begins_again_what_it_had_when_it_was_killed(
    stack: Stack, client: Client, agent: Example
) -> None:
    payload = {"text": "a b", "ask": True}
    task_id = client.submit("count_words", payload, agent_id=agent.id)
    asked = client.wait_for(task_id, "need_human")["pending_action"]
    agent.kill()
    agent.start()
    again = _asked_again(client, task_id, asked)
    assert again["kind"] == "human"
    assert stack.operator().decide(task_id, "approve").ok
    assert client.result(task_id)["words"] == 2


def _asked_again(client: Client, task_id: str, before: object) -> dict[str, object]:
    """What it waits for, once that is another question than before."""
    seen: dict[str, object] = {}

    def changed() -> bool:
        seen.update(client.task(task_id)["pending_action"] or {})
        return bool(seen) and seen != before

    eventually(changed, 30, lambda: str(seen))
    return seen
