"""Peers: the remote agents this node talks to, and the secrets they share with it.

    admin, register_agent → verb → agent row

A clear secret exists only in what a verb returns; at rest it is sealed. Every active
secret signs and verifies: first this side gets a new one, then the peer, then the old
one is dropped, and no message is refused in between (G37).
"""

import re

from django.conf import settings
from django.db import transaction

from agents_app import outbound
from agents_app.models import MAX_OPEN, MAX_TASKS, Agent, AgentState
from agents_app.protocol import signing
from agents_app.protocol.errors import Code, SynapseError
from tasks_app import delivery
from tasks_app.secrets import vault

# It stands in an address, in a header and in paths.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MAX_SECRETS = 2
_MAX_LIMIT = 1_000_000


def register(
    agent_id: str,
    name: str = "",
    *,
    endpoint: str = "",
    secret: str | None = None,
    fetch: bool = False,
    max_tasks: int = MAX_TASKS,
    max_open: int = MAX_OPEN,
) -> tuple[Agent, str]:
    """A new peer, enabled, and its secret `whsec_…` in clear text, only here.

    `endpoint` is the whole URL to which its messages are posted; without one it fetches
    them from its mailbox. `fetch`: it cannot call us, so we fetch ours from its mailbox
    behind that URL. The limits are those of `set_limits`. Raises INVALID_FIELD naming
    the field, and ADDRESS_REFUSED.
    """
    _check_id(agent_id)
    _check_name(name)
    _check_endpoint(endpoint)
    _check_limits(max_tasks=max_tasks, max_open=max_open)
    _check_fetch(endpoint, fetch)
    clear = _secret(secret)
    agent = Agent(
        id=agent_id,
        name=name,
        endpoint=endpoint,
        fetch=fetch,
        max_tasks=max_tasks,
        max_open=max_open,
        secrets=[vault().seal(clear)],
    )
    with transaction.atomic():
        if Agent.objects.filter(pk=agent_id).exists():
            raise _invalid("id", "is taken")
        agent.save(force_insert=True)
    return agent, clear


def rotate_secret(agent: Agent, secret: str | None = None) -> str:
    """A new first secret, in clear text; the one before stays as the second.

    A third one is dropped. INVALID_FIELD for a given secret that is none.
    """
    clear = _secret(secret)
    with transaction.atomic():
        held = _locked(agent)
        held.secrets = [vault().seal(clear), *held.secrets][:_MAX_SECRETS]
        held.save(update_fields=["secrets"])
    agent.secrets = held.secrets
    return clear


def drop_old_secret(agent: Agent) -> bool:
    """Only the newest secret counts from now on; False when there was no other."""
    with transaction.atomic():
        held = _locked(agent)
        dropped = len(held.secrets) > 1
        held.secrets = held.secrets[:1]
        held.save(update_fields=["secrets"])
    agent.secrets = held.secrets
    return dropped


def enable(agent: Agent) -> None:
    """It may get new tasks; what waited for it is sent now."""
    _set_state(agent, AgentState.ENABLED)
    delivery.wake(agent)


def drain(agent: Agent) -> None:
    """No new tasks; those it has go on."""
    _set_state(agent, AgentState.DRAINING)


def disable(agent: Agent) -> None:
    """No messages either way; its tasks are offered elsewhere or fail (G35)."""
    _set_state(agent, AgentState.DISABLED)


def set_endpoint(agent: Agent, endpoint: str, *, fetch: bool = False) -> None:
    """Call it there from now on; "" for never: it has a mailbox.

    What waits for it goes there. `fetch` as in `register`. Raises INVALID_FIELD,
    ADDRESS_REFUSED.
    """
    _check_endpoint(endpoint)
    _check_fetch(endpoint, fetch)
    Agent.objects.filter(pk=agent.pk).update(endpoint=endpoint, fetch=fetch)
    agent.endpoint, agent.fetch = endpoint, fetch
    if endpoint:
        delivery.wake(agent)


def set_limits(agent: Agent, *, max_tasks: int, max_open: int) -> None:
    """How many tasks of ours it may have, and how many of its own it may have here.

    What is there already goes on. INVALID_FIELD naming the field.
    """
    _check_limits(max_tasks=max_tasks, max_open=max_open)
    Agent.objects.filter(pk=agent.pk).update(max_tasks=max_tasks, max_open=max_open)
    agent.max_tasks, agent.max_open = max_tasks, max_open


def _set_state(agent: Agent, state: AgentState) -> None:
    Agent.objects.filter(pk=agent.pk).update(state=state)
    agent.state = state


def _locked(agent: Agent) -> Agent:
    """Two administrators who rotate at once must not lose a secret.

    Not its key: messages to the peer go on being written meanwhile.
    """
    return Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)


def _secret(given: str | None) -> str:
    if given is None:
        return signing.new_secret()
    signing.check_secret(given)
    return given


def _check_id(agent_id: str) -> None:
    if not _ID.fullmatch(agent_id):
        raise _invalid(
            "id", "is 1 to 100 letters, digits, dots, hyphens and underscores"
        )
    if agent_id == settings.SYNAPSE_AGENT_ID:
        raise _invalid("id", "is this node's own")


def _check_name(name: str) -> None:
    if len(name) > 100 or not name.isprintable():
        raise _invalid("name", "is up to 100 printable characters")


def _check_endpoint(endpoint: str) -> None:
    if endpoint:
        outbound.check_url(
            endpoint,
            allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
            field="endpoint",
        )


def _check_limits(**limits: int) -> None:
    for field, number in limits.items():
        if not 0 <= number <= _MAX_LIMIT:
            raise _invalid(field, f"is 0 to {_MAX_LIMIT}")


def _check_fetch(endpoint: str, fetch: bool) -> None:
    if fetch and not endpoint:
        raise _invalid("fetch", "needs an endpoint to fetch from")


def _invalid(field: str, text: str) -> SynapseError:
    return SynapseError(
        Code.INVALID_FIELD, f"The {field} {text}.", details={"fields": {field: text}}
    )
