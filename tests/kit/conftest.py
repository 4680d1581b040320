"""A node that records, and an agent that talks to it."""

import threading
from collections.abc import Callable, Iterator

import pytest

from agents_app.conformance.stage import Stage
from agents_app.kit import Agent
from agents_app.kit import agent as agent_module
from agents_app.protocol import signing

SECRET = signing.new_secret()


@pytest.fixture
def node() -> Iterator[Stage]:
    with Stage(
        node_address="agent:synapse", peer_address="agent:ada", secrets=[SECRET]
    ) as stage:
        yield stage


@pytest.fixture
def ada(node: Stage) -> Iterator[Agent]:
    agent = Agent(id="ada", secret=SECRET, node_url=node.url, retry_s=(0.0, 0.0))
    yield agent
    agent.stop()


@pytest.fixture
def run(
    ada: Agent, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], threading.Thread]]:
    """Serves ada's mailbox, quickly, until the test ends."""
    monkeypatch.setattr(agent_module, "POLL_SECONDS", 0.02)
    begun: list[threading.Thread] = []

    def start() -> threading.Thread:
        thread = threading.Thread(target=ada.run)
        begun.append(thread)
        thread.start()
        return thread

    yield start
    ada.stop()
    for thread in begun:
        thread.join(10)
        assert not thread.is_alive()
