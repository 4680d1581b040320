"""What a peer answered to a message: only a signed answer about it counts.

Between `sending` and `judging`. A proxy, a login page or a node that does not know our
secret can say 200 too.
"""

from dataclasses import dataclass

from django.utils import timezone

from agents_app.models import Agent
from agents_app.outbound import Reply
from agents_app.protocol import signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import CATALOGUE, Code, SynapseError
from agents_app.protocol.payloads import Ack, ErrorObject, Nack, Payload
from tasks_app import lifecycle
from tasks_app.delivery.peers import secrets_of
from tasks_app.models import Delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Stored (`p2p:ack`), refused (`p2p:nack`), or neither: then nothing is known."""

    acked: bool = False
    refused: ErrorObject | None = None


def hear(delivery: Delivery, reply: Reply) -> Heard:
    """Read the answer to a message; never raises."""
    if delivery.peer is None or reply.error is not None:
        return Heard()
    try:
        words = _verified(delivery.peer, reply)
    except SynapseError:
        return Heard()
    match words:
        case Ack(message_id=about) if about == str(delivery.pk):
            return Heard(acked=reply.ok)
        case Nack(message_id=about, error=error) if about == str(delivery.pk):
            return Heard(refused=error)
        case _:
            return Heard()


def may_succeed(error: ErrorObject) -> bool:
    """Whether sending the same again can help; not for codes that we do not know."""
    try:
        return CATALOGUE[Code(error.code)].retryable
    except ValueError:
        return False


def _verified(peer: Agent, reply: Reply) -> Payload:
    """SynapseError unless the peer signed it, for us."""
    message_id = signing.verify(
        reply.headers, reply.body, secrets_of(peer), now=timezone.now()
    )
    envelope = Envelope.from_bytes(reply.body)
    signed = (message_id, peer.address, lifecycle.policy().node)
    if signed != (envelope.message_id, envelope.sender, envelope.recipient):
        raise SynapseError(Code.SIGNATURE_INVALID)
    return envelope.content()
