"""Peers: registered once, secrets shown once, rotated without a gap (G37)."""

from datetime import UTC, datetime
from ipaddress import ip_network

import pytest
from django.core.management import CommandError, call_command

from agents_app.models import Agent
from agents_app.protocol import ids, signing
from agents_app.protocol.errors import Code, SynapseError
from tasks_app import delivery, peers
from tasks_app.models import Delivery

pytestmark = pytest.mark.django_db
HOOK = "http://127.0.0.1:8009/a2a"
NOW = datetime(2024, 5, 31, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _loopback(settings):
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = [ip_network("127.0.0.0/8")]


def _verify(by, secrets) -> str:
    headers = signing.sign(message_id="m1", timestamp=NOW, body=b"{}", secrets=by)
    return signing.verify(headers, b"{}", secrets, now=NOW)


def test_it_registers_a_peer_and_seals_its_secret():
    agent, clear = peers.register("north", "North", endpoint=HOOK)
    stored = Agent.objects.get(pk="north")
    assert (stored.name, stored.endpoint, stored.state) == ("North", HOOK, "enabled")
    assert clear.startswith("whsec_")
    assert clear not in str(stored.secrets)
    assert delivery.secrets_of(stored) == (clear,)
    assert agent.address == "agent:north"


@pytest.mark.parametrize("agent_id", ["", "a b", "ä", "a/b", ".a", "a" * 101, "a\n"])
def test_it_refuses_an_id_that_no_address_can_hold(agent_id):
    with pytest.raises(SynapseError) as refused:
        peers.register(agent_id)
    assert "id" in refused.value.details["fields"]
    assert not Agent.objects.exists()


def test_it_refuses_its_own_id_and_a_taken_one(settings):
    peers.register("north")
    for agent_id in ("north", settings.SYNAPSE_AGENT_ID):
        with pytest.raises(SynapseError) as refused:
            peers.register(agent_id)
        assert refused.value.code is Code.INVALID_FIELD


def test_it_refuses_an_endpoint_inside_the_network():
    with pytest.raises(SynapseError) as refused:
        peers.register("north", endpoint="http://10.0.0.1/a2a")
    assert refused.value.code is Code.ADDRESS_REFUSED


def test_it_refuses_a_secret_that_is_none():
    with pytest.raises(SynapseError):
        peers.register("north", secret="whsec_short")


def test_it_keeps_the_old_secret_until_it_is_dropped():
    """G37: both verify either side's signatures, then only the new one does."""
    agent, old = peers.register("north")
    new = peers.rotate_secret(agent)
    both = delivery.secrets_of(agent)
    assert both == (new, old)
    assert (
        _verify([old], both)
        == _verify(list(both), [old])
        == _verify([new], both)
        == "m1"
    )
    assert peers.drop_old_secret(agent) is True
    with pytest.raises(SynapseError):
        _verify([old], delivery.secrets_of(Agent.objects.get()))
    assert peers.drop_old_secret(agent) is False


def test_it_never_has_three_secrets():
    agent, _ = peers.register("north")
    made = [peers.rotate_secret(agent) for _ in range(2)]
    assert delivery.secrets_of(Agent.objects.get()) == tuple(made[::-1])


@pytest.mark.parametrize("verb", ["enable", "drain", "disable"])
def test_it_changes_what_a_peer_may_do(verb):
    agent, _ = peers.register("north")
    getattr(peers, verb)(agent)
    expected = {"enable": "enabled", "drain": "draining", "disable": "disabled"}[verb]
    assert agent.state == Agent.objects.get().state == expected


def test_it_sends_what_waits_to_a_new_endpoint():
    agent, _ = peers.register("north")
    waiting = Delivery.objects.create(
        id=ids.new_id(), kind="message", peer=agent, sequence=1, event="p2p:heartbeat",
        terminal=False, url="", endpoint=agent.address, body="{}", created_at=NOW,
    )  # fmt: skip
    peers.set_endpoint(agent, HOOK)
    waiting.refresh_from_db()
    assert waiting.next_try_at is not None
    peers.set_endpoint(agent, "")
    assert Agent.objects.get().endpoint == ""


def test_it_registers_by_command_and_prints_the_secret_once(capsys):
    call_command("register_agent", "north", "--endpoint", HOOK, "--name", "North")
    printed = capsys.readouterr().out
    secret = delivery.secrets_of(Agent.objects.get())[0]
    assert printed.count(secret) == 1
    assert "agent:north" in printed


def test_it_tells_the_command_line_what_is_wrong():
    with pytest.raises(CommandError, match="id: "):
        call_command("register_agent", "a b")
    assert not Agent.objects.exists()


@pytest.mark.parametrize("limit", ["max_tasks", "max_open"])
def test_it_limits_a_peer_both_ways(limit):
    call_command("register_agent", "north", f"--{limit.replace('_', '-')}", "7")
    agent = Agent.objects.get()
    assert getattr(agent, limit) == 7
    peers.set_limits(agent, max_tasks=0, max_open=3)
    agent.refresh_from_db()
    assert (agent.max_tasks, agent.max_open) == (0, 3)
    with pytest.raises(SynapseError) as refused:
        peers.set_limits(agent, **{"max_tasks": 1, "max_open": 1, limit: -1})
    assert limit in refused.value.details["fields"]
