"""Two peers, one with an endpoint; nothing leaves the house."""

from ipaddress import ip_network

import pytest

from agents_app import outbound
from agents_app.models import Agent
from agents_app.outbound import Reply
from tasks_app import peers


@pytest.fixture
def north(db, settings) -> Agent:
    """It can be called."""
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = [ip_network("127.0.0.0/8")]
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
