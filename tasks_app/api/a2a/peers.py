"""Who signed a request: a known peer that is not disabled, or nobody.

Every refusal reads and costs the same, so that nobody learns which agents there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.utils import timezone

from agents_app.models import Agent, AgentState
from agents_app.protocol import signing
from agents_app.protocol.addresses import Party, split_address
from agents_app.protocol.errors import Code, SynapseError
from tasks_app.delivery import secrets_of
from tasks_app.secrets import vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """The agent behind a verified request, and the id that it signed."""

    agent: Agent
    secrets: tuple[str, ...]
    message_id: str


def verified(sender: str, headers: Mapping[str, str], body: bytes) -> Peer:
    """The peer that signed these bytes within ±300 s (design §3, G30).

    `sender` is what the request claims. TIMESTAMP_SKEW, SIGNATURE_INVALID: the latter
    also for unknown and disabled agents.
    """
    agent = _known(sender)
    secrets = secrets_of(agent or _nobody())
    message_id = signing.verify(headers, body, secrets, now=timezone.now())
    if agent is None:
        raise SynapseError(Code.SIGNATURE_INVALID)
    return Peer(agent=agent, secrets=secrets, message_id=message_id)


def _known(sender: str) -> Agent | None:
    try:
        kind, name = split_address(sender)
    except ValueError:
        return None
    if kind is not Party.AGENT or not name.isprintable():
        return None
    allowed = Agent.objects.exclude(state=AgentState.DISABLED)
    return allowed.filter(pk=name).first()


@cache
def _nobody() -> Agent:
    """Stands in for an unknown agent, with a secret that nobody has."""
    return Agent(secrets=[vault().seal(signing.new_secret())])
