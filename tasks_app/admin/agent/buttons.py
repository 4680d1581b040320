"""The buttons of an agent: a permission, a verb, and what is said afterwards.

None of them waits for the network: what has to be sent is put into the outbox, or a job
is rung for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agents_app.models import Agent
from tasks_app import peers, presence, queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """One POST."""

    label: str
    permission: str
    verb: Callable[[Agent], object]
    done: str


def _ping(agent: Agent) -> None:
    queue.ring_peer(agent.pk)


BUTTONS: Mapping[str, Button] = {
    "ping": Button(
        label="Ping now",
        permission="ping_agent",
        verb=_ping,
        done="A heartbeat is on its way.",
    ),
    "ask": Button(
        label="Ask for capabilities",
        permission="ping_agent",
        verb=presence.ask,
        done="The question is on its way; the answer appears here.",
    ),
    "enable": Button(
        label="Enable",
        permission="change_agent",
        verb=peers.enable,
        done="It may get new tasks.",
    ),
    "drain": Button(
        label="Drain",
        permission="change_agent",
        verb=peers.drain,
        done="It gets no new tasks; those it has go on.",
    ),
    "disable": Button(
        label="Disable",
        permission="change_agent",
        verb=peers.disable,
        done="No messages go either way.",
    ),
    "drop": Button(
        label="Drop the old secret",
        permission="rotate_agent_secret",
        verb=peers.drop_old_secret,
        done="Only the newest secret counts.",
    ),
}
# What makes no sense in the state that the agent is in.
HIDDEN: Mapping[str, frozenset[str]] = {
    "enabled": frozenset({"enable"}),
    "draining": frozenset({"drain"}),
    "disabled": frozenset({"disable", "ping", "ask"}),
}
