"""Saying something to a peer at once: signed, tried once, never stored.

For what the next word makes good again: heartbeats, and answers to fetched messages.
"""

from django.conf import settings
from django.utils import timezone

from agents_app import outbound
from agents_app.models import Agent
from agents_app.outbound import Reply
from agents_app.protocol import signing
from tasks_app import delivery

_TOTAL_SECONDS = 5.0


def say(peer: Agent, *, message_id: str, body: bytes) -> Reply:
    """POST an envelope to the endpoint of the peer, for five seconds at most."""
    signed = signing.sign(
        message_id=message_id,
        timestamp=timezone.now(),
        body=body,
        secrets=delivery.secrets_of(peer),
    )
    return outbound.post(
        peer.endpoint,
        body=body,
        headers={"Content-Type": "application/json", **signed},
        allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        connect_s=min(settings.SYNAPSE_CALLBACK_CONNECT_SECONDS, _TOTAL_SECONDS),
        total_s=min(settings.SYNAPSE_CALLBACK_TOTAL_SECONDS, _TOTAL_SECONDS),
        party=peer.address,
        at_once=settings.SYNAPSE_CALLBACK_PER_ENDPOINT,
    )
