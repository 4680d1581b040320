"""The two answers: `p2p:ack` for stored, `p2p:nack` for without effect."""

from django.utils import timezone

from agents_app.protocol import ids, jsontext
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import SynapseError
from agents_app.protocol.payloads import Ack, ErrorObject, Nack, Payload
from tasks_app import lifecycle

# To whoever sent something that named no sender.
NOBODY = "agent:unknown"


def ack_of(envelope: Envelope) -> Envelope:
    """The message is stored."""
    return _reply(
        Ack(message_id=envelope.message_id), envelope.sender, envelope.message_id
    )


def ack_of_file(recipient: str, upload_id: str) -> Envelope:
    """The bytes of a file are stored; `upload_id` was signed with its ticket."""
    return _reply(Ack(message_id=upload_id), recipient, upload_id)


def nack_of(
    error: SynapseError, *, recipient: str = NOBODY, message_id: str | None = None
) -> Envelope:
    """The message had no effect, and why."""
    words = Nack(message_id=message_id or "", error=ErrorObject.of(_sayable(error)))
    return _reply(words, recipient, message_id)


def _sayable(error: SynapseError) -> SynapseError:
    """Without its details when they quote text that no UTF-8 can hold."""
    try:
        jsontext.dumps(error.to_object())
    except SynapseError:
        return SynapseError(error.code)
    return error


def _reply(words: Payload, recipient: str, about: str | None) -> Envelope:
    return Envelope.carrying(
        words,
        message_id=ids.new_message_id(),
        sender=lifecycle.policy().node,
        recipient=recipient,
        timestamp=timezone.now(),
        in_reply_to=about,
    )
