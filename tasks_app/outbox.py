"""What a change sends away: callbacks for its caller, messages for its peers.

Pure, like the plans that call `announce` last. A logged message whose recipient is
another agent is an outgoing one; what that agent said itself is addressed to us.
"""

import uuid
from dataclasses import replace
from datetime import datetime

from agents_app.protocol.addresses import Party, split_address
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.messages import MessageType
from tasks_app import callbacks
from tasks_app.changes import Change, Logged, Outgoing
from tasks_app.policy import Policy


def announce(change: Change, now: datetime, policy: Policy) -> Change:
    """The change with everything that has to be sent because of it."""
    change = callbacks.announce(change, now)
    letters = tuple(
        _letter(message, policy)
        for message in change.messages
        if is_remote(message.recipient, policy)
    )
    return replace(change, outgoing=(*change.outgoing, *letters))


def is_remote(address: str, policy: Policy) -> bool:
    """Whether the address is that of another agent."""
    return address.startswith(f"{Party.AGENT}:") and address != policy.node


def _letter(message: Logged, policy: Policy) -> Outgoing:
    """The envelope as it will be signed and sent, under the id that is in the log.

    Callers and operators are internal: to a peer this node speaks for them.
    """
    envelope = Envelope(
        message_id=message.message_id,
        type=MessageType(message.type),
        sender=policy.node,
        recipient=message.recipient,
        timestamp=message.created_at,
        in_reply_to=message.in_reply_to,
        payload=message.payload,
    )
    _, peer_id = split_address(message.recipient)
    return Outgoing(
        id=uuid.UUID(message.message_id),
        kind="message",
        peer_id=peer_id,
        sequence=message.generation,
        event=message.type,
        terminal=False,
        party=message.recipient,
        url="",
        # Messages to one peer share its places, whatever its endpoint is.
        endpoint=message.recipient,
        body=envelope.to_bytes().decode(),
        created_at=message.created_at,
    )
