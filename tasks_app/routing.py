"""Who executes a task: a handler of this node, or the best live peer that offers it.

Asked at submit, and by the sweep when a peer did not confirm; the answer is written
into the task row.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from agents_app import registry
from agents_app.models import Agent, AgentState
from agents_app.protocol.errors import Code, SynapseError
from agents_app.registry import HandlerSpec
from tasks_app.models import Task

# Presence: how many heartbeats may be missed (guarantees G35).
MISSED_HEARTBEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Executor:
    """Who does it: a handler of ours (`spec`), or a peer with its `input_schema`."""

    address: str
    spec: HandlerSpec | None = None
    peer: Agent | None = None
    input_schema: Mapping[str, object] | None = None


def patience() -> timedelta:
    """How old the last heartbeat of a live peer may be."""
    return timedelta(seconds=settings.SYNAPSE_HEARTBEAT_SECONDS * MISSED_HEARTBEATS)


def choose(
    task_type: str,
    *,
    node: str,
    agent_id: str | None = None,
    without: Collection[str] = (),
) -> Executor:
    """The executor for a task: ours before others', the least busy peer first.

    `agent_id` pins one; `without` are the addresses of those that were tried. Raises
    UNKNOWN_TASK_TYPE with what is offered, NO_LIVE_AGENT when only absent or full
    peers offer it.
    """
    spec = registry.get(task_type)
    ours = agent_id in (None, node.partition(":")[2]) and node not in without
    if spec is not None and ours:
        return Executor(address=node, spec=spec)
    offers = _offers(task_type, agent_id, without)
    busy = _busy([peer for peer, _ in offers])
    free = [o for o in offers if _has_room(o[0], busy[o[0].address])]
    if not free:
        raise _refusal(task_type, offered=_known(task_type, agent_id))
    peer, offer = min(free, key=lambda o: (busy[o[0].address], o[0].id))
    schema = offer.get("input_schema_object")
    return Executor(
        address=peer.address,
        peer=peer,
        input_schema=schema if isinstance(schema, Mapping) else None,
    )


def live_peers() -> list[Agent]:
    """Peers that may get new work: enabled, heard of lately, not draining."""
    now = timezone.now()
    enabled = Agent.objects.filter(state=AgentState.ENABLED)
    return [
        peer
        for peer in enabled
        if peer.is_online(now, patience()) and peer.status != "draining"
    ]


def offered_types() -> set[str]:
    """Every task type that can be submitted now."""
    ours = {spec.task_type for spec in registry.enabled_specs()}
    theirs = {str(o["type"]) for peer in live_peers() for o in peer.task_types()}
    return ours | theirs


def _offers(
    task_type: str, agent_id: str | None, without: Collection[str]
) -> list[tuple[Agent, Mapping[str, object]]]:
    return [
        (peer, offer)
        for peer in live_peers()
        if agent_id in (None, peer.id) and peer.address not in without
        for offer in peer.task_types()
        if offer.get("type") == task_type
    ]


def _has_room(peer: Agent, busy: int) -> bool:
    """By its own word and by ours; before its first word, by ours alone.

    What it says of its load includes the tasks of others, of which we know nothing.
    Submits of the same moment do not see each other: they may be a few too many.
    """
    said = peer.max_tasks if peer.capacity is None else peer.capacity
    limit = min(peer.max_tasks, said)
    return busy < limit and peer.status != "overloaded"


def _busy(peers: Collection[Agent]) -> dict[str, int]:
    """How many live tasks of ours each has."""
    addresses = [peer.address for peer in peers]
    live = Task.objects.filter(executor__in=addresses, lane="", due_at__isnull=False)
    counted = live.order_by().values_list("executor").annotate(number=Count("pk"))
    return dict.fromkeys(addresses, 0) | dict(counted)


def _known(task_type: str, agent_id: str | None) -> bool:
    """Whether somebody offers it who cannot take it now."""
    known = Agent.objects.exclude(state=AgentState.DISABLED)
    return any(
        offer.get("type") == task_type
        for peer in (known.filter(pk=agent_id) if agent_id is not None else known)
        for offer in peer.task_types()
    )


def _refusal(task_type: str, *, offered: bool) -> SynapseError:
    if offered:
        return SynapseError(
            Code.NO_LIVE_AGENT, details={"task_type": task_type}, retry_after=30
        )
    details = {"task_type": task_type, "supported": sorted(offered_types())}
    return SynapseError(Code.UNKNOWN_TASK_TYPE, details=details)
