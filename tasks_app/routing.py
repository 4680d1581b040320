"""Who executes a task: a handler of this node, or the best live peer that offers it.

Asked once, at submit; the answer is written into the task row.
"""

from collections.abc import Mapping
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
    task_type: str, *, node: str, agent_id: str | None = None, without: str = ""
) -> Executor:
    """The executor for a new task: ours before others', the least busy peer first.

    `agent_id` pins one; `without` is the address of a peer that just failed. Raises
    UNKNOWN_TASK_TYPE with what is offered, NO_LIVE_AGENT when only absent or full
    peers offer it.
    """
    spec = registry.get(task_type)
    if spec is not None and agent_id in (None, node.partition(":")[2]):
        return Executor(address=node, spec=spec)
    offers = [
        (peer, offer)
        for peer in live_peers()
        if agent_id in (None, peer.id) and peer.address != without
        for offer in peer.task_types()
        if offer.get("type") == task_type
    ]
    free = [(peer, offer) for peer, offer in offers if _has_room(peer)]
    if not free:
        raise _refusal(task_type, offered=bool(offers) or _known(task_type))
    peer, offer = min(free, key=lambda pair: (_busy(pair[0]), pair[0].id))
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


def _has_room(peer: Agent) -> bool:
    limit = min(peer.max_tasks, peer.capacity or peer.max_tasks)
    return _busy(peer) < limit


def _busy(peer: Agent) -> int:
    live = Task.objects.filter(executor=peer.address, due_at__isnull=False)
    return int(live.aggregate(n=Count("pk"))["n"])


def _known(task_type: str) -> bool:
    return any(
        offer.get("type") == task_type
        for peer in Agent.objects.exclude(state=AgentState.DISABLED)
        for offer in peer.task_types()
    )


def _refusal(task_type: str, *, offered: bool) -> SynapseError:
    if offered:
        return SynapseError(
            Code.NO_LIVE_AGENT, details={"task_type": task_type}, retry_after=30
        )
    details = {"task_type": task_type, "supported": sorted(offered_types())}
    return SynapseError(Code.UNKNOWN_TASK_TYPE, details=details)
