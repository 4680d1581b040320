"""Two peers, one with an endpoint; nothing leaves the house."""

import pytest

from agents_app import outbound
from agents_app.models import Agent
from agents_app.outbound import Reply
from tasks_app import peers


@pytest.fixture
def north(db) -> Agent:
    """It can be called."""
    return peers.register("north", endpoint="http://127.0.0.1:8009/a2a")[0]


@pytest.fixture
def south(db) -> Agent:
    """It has a mailbox."""
    return peers.register("south")[0]


@pytest.fixture
def posted(monkeypatch):
    """Requests instead of a network: (url, body, headers)."""
    sent = []

    def post(url, *, body, headers, **limits):
        sent.append((url, body, headers))
        return Reply(status=200)

    monkeypatch.setattr(outbound, "post", post)
    return sent
