"""Telling peers that we are there, and how busy (A2A 2.5; decision 23).

A heartbeat is best effort: the next one says more than a late one. So it is never
retried, and a peer that hangs costs one short job of its own and nobody else's time.
"""

import logging
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from agents_app import outbound
from agents_app.models import Agent, AgentState
from agents_app.protocol import signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import Heartbeat
from tasks_app import delivery, ledger, queue
from tasks_app.presence.posting import envelope_for, forget, post_off

_TOTAL_SECONDS = 5.0

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
    peer = _talking().filter(pk=peer_id).first()
    if peer is None:
        return
    if not peer.endpoint:
        _leave_in_mailbox(peer)
        return
    envelope = envelope_for(peer, _heartbeat())
    body = envelope.to_bytes()
    reply = outbound.post(
        peer.endpoint,
        body=body,
        headers=_headers(peer, envelope, body, timezone.now()),
        allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        connect_s=min(settings.SYNAPSE_CALLBACK_CONNECT_SECONDS, _TOTAL_SECONDS),
        total_s=min(settings.SYNAPSE_CALLBACK_TOTAL_SECONDS, _TOTAL_SECONDS),
    )
    if not reply.ok:
        logger.info(
            "Agent %s did not take a heartbeat: %s.",
            peer.id,
            reply.error or reply.status,
        )


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


def _headers(
    peer: Agent, envelope: Envelope, body: bytes, now: datetime
) -> dict[str, str]:
    signed = signing.sign(
        message_id=envelope.message_id,
        timestamp=now,
        body=body,
        secrets=delivery.secrets_of(peer),
    )
    return {"Content-Type": "application/json", **signed}
