"""Capability cards as peers send them."""

from agents_app.models import Agent
from agents_app.protocol.payloads import CapabilityResponse, Heartbeat
from tasks_app import presence


def card(agent: Agent, *types: object, **fields: object) -> CapabilityResponse:
    """A card that offers these types, each a name or an entry of P2A 7.6."""
    offers = [{"type": t} if isinstance(t, str) else t for t in types]
    known = {
        "agent_id": agent.pk,
        "agent_name": agent.pk,
        "protocol_version": "1.0.0",
        "supported_task_types": offers,
    }
    return CapabilityResponse.parse(known | fields)


def heartbeat(agent: Agent, **fields: object) -> Heartbeat:
    known = {"agent_id": agent.pk, "status": "ok", "active": 0, "capacity": 10}
    return Heartbeat.parse(known | fields)


def live(agent: Agent, *types: object, **fields: object) -> Agent:
    """The peer is there and offers these types."""
    presence.heard(agent, heartbeat(agent, **fields))
    presence.learned(agent, card(agent, *types))
    return Agent.objects.get(pk=agent.pk)
