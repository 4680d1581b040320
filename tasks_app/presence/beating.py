"""Telling peers that we are there, and how busy (A2A 2.5; decision 23).

A heartbeat is best effort: the next one says more than a late one. So it is never
retried, and a peer that hangs holds one of few threads, more seldom each time (G24).
"""

import logging

from django.conf import settings
from django.db.models import QuerySet

from agents_app.models import Agent, AgentState
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import Heartbeat
from tasks_app import ledger, queue
from tasks_app.errands import Errands
from tasks_app.presence.posting import envelope_for, forget, post_off
from tasks_app.presence.saying import say
from tasks_app.sharing import courier as threads

# A peer that took longer, and failed, hung.
_HUNG_MS = 1000

logger = logging.getLogger(__name__)


def beat() -> None:
    """Greet every peer that may hear from us: by a job each, or in its mailbox."""
    for peer in _talking():
        if peer.endpoint:
            queue.ring_peer(peer.id)
        else:
            _leave_in_mailbox(peer)


def greet(peer_id: str) -> None:
    """Send one heartbeat to a peer with an endpoint. Outside any transaction."""
    queue.peer_heard(peer_id)
    _errands.run(peer_id)


def _greet(peer_id: str) -> bool:
    """Whether the peer did not hang."""
    peer = _talking().filter(pk=peer_id).first()
    if peer is None:
        return True
    if not peer.endpoint:
        _leave_in_mailbox(peer)
        return True
    envelope = envelope_for(peer, _heartbeat())
    reply = say(peer, message_id=envelope.message_id, body=envelope.to_bytes())
    if peer.fetch:
        queue.ring_mailbox(peer.id)
    if not reply.ok:
        logger.info(
            "Agent %s did not take a heartbeat: %s.",
            peer.id,
            reply.error or reply.status,
        )
    return reply.ok or reply.elapsed_ms < _HUNG_MS


_errands = Errands("heartbeats", _greet, ring=queue.ring_peer, threads=threads)


def _talking() -> QuerySet[Agent]:
    return Agent.objects.exclude(state=AgentState.DISABLED)


def _leave_in_mailbox(peer: Agent) -> None:
    """One at most: neither unread nor read ones pile up."""
    forget(peer, MessageType.HEARTBEAT)
    post_off(envelope_for(peer, _heartbeat()), peer)


def _heartbeat() -> Heartbeat:
    active = sum(ledger.running_by_type().values())
    capacity = settings.SYNAPSE_MAX_CONCURRENT_TASKS
    return Heartbeat(
        agent_id=settings.SYNAPSE_AGENT_ID,
        status="overloaded" if active >= capacity else "ok",
        active=active,
        capacity=capacity,
    )
