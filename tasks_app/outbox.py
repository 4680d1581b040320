"""What a change sends away: callbacks for its caller, messages for its peers.

Pure, like the plans that call `announce` last. A logged message whose recipient is
another agent is an outgoing one; what that agent said itself is addressed to us.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from agents_app.protocol import ids
from agents_app.protocol.addresses import Party, split_address
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import Attachment
from agents_app.protocol.tickets import FileTicket
from tasks_app import callbacks
from tasks_app.changes import Change, Logged, Outgoing
from tasks_app.policy import Policy

# More than a message may name.
_MAX_FILES = 1000

_AGENT = f"{Party.AGENT}:"


def announce(change: Change, now: datetime, policy: Policy) -> Change:
    """The change with everything that has to be sent because of it."""
    change = callbacks.announce(change, now)
    away = [m for m in change.messages if is_remote(m.recipient, policy)]
    if not away:
        return change
    letters = (_letter(message, policy) for message in away)
    parcels = (parcel for message in away for parcel in _parcels(message, policy))
    return replace(change, outgoing=(*change.outgoing, *letters, *parcels))


def is_remote(address: str, policy: Policy) -> bool:
    """Whether the address is that of another agent."""
    return address.startswith(_AGENT) and address != policy.node


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


def _parcels(message: Logged, policy: Policy) -> Iterator[Outgoing]:
    """Files that the message names without a link: their bytes are brought (A2A 6.5).

    A ticket is what will be signed; the bytes stay in storage until they are sent.
    """
    files = message.payload.get("attachments")
    _, peer_id = split_address(message.recipient)
    for place, file in enumerate(files if isinstance(files, Sequence) else ()):
        named = Attachment.parse(file)
        if named.url is not None:
            continue
        ticket = FileTicket(
            sender=policy.node,
            recipient=message.recipient,
            task_id=str(message.payload["task_id"]),
            file_id=named.file_id,
            size=named.size,
            sha256=named.sha256,
        )
        yield Outgoing(
            id=ids.new_id(),
            kind="file",
            peer_id=peer_id,
            # A place of its own beside those of other messages of this task.
            sequence=message.generation * _MAX_FILES + place,
            event="file",
            terminal=False,
            party=message.recipient,
            url="",
            endpoint=message.recipient,
            body=ticket.to_text(),
            created_at=message.created_at,
        )
