"""The last step: bytes, their status, and the signature of this node.

Only who was verified gets a signed answer; there is no secret to sign others with.
"""

from django.http import HttpResponse
from django.utils import timezone

from agents_app.protocol import signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import SynapseError
from tasks_app import inbox
from tasks_app.api.a2a.peers import Peer
from tasks_app.api.rendering import JSON


def signed(peer: Peer, body: bytes, *, message_id: str, status: int) -> HttpResponse:
    """An answer that the peer can verify like any message (one scheme, design §3)."""
    headers = signing.sign(
        message_id=message_id,
        timestamp=timezone.now(),
        body=body,
        secrets=peer.secrets,
    )
    return HttpResponse(body, content_type=JSON, status=status, headers=headers)


def refusal(
    error: SynapseError, *, peer: Peer | None, claimed: Envelope | None
) -> HttpResponse:
    """A `p2p:nack`, addressed to who sent the request, or says it did."""
    if peer is not None:
        nack = inbox.nack_of(
            error, recipient=peer.agent.address, message_id=peer.message_id
        )
    elif claimed is not None:
        nack = inbox.nack_of(
            error, recipient=claimed.sender, message_id=claimed.message_id
        )
    else:
        nack = inbox.nack_of(error)
    body, status = nack.to_bytes(), error.spec.http_status
    if peer is None:
        return HttpResponse(body, content_type=JSON, status=status)
    return signed(peer, body, message_id=nack.message_id, status=status)
