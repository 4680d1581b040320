"""Files that a peer brings, because we cannot fetch them from it.

    api/a2a/files (signed ticket) → take_file → foreignfiles

Only what one of its own messages has named, and only the very bytes: so a peer can
store here no more than its messages may announce. Bringing it twice changes nothing.
"""

from collections.abc import Callable

from agents_app.models import Agent
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import Side
from agents_app.protocol.tickets import FileTicket
from tasks_app import foreignfiles, lifecycle
from tasks_app.inbox.applying import find
from tasks_app.inbox.replies import ack_of_file
from tasks_app.models import Attachment


def take_file(
    peer: Agent, ticket: FileTicket, upload_id: str, read: Callable[[int], bytes]
) -> Envelope:
    """The ack, once the bytes are kept. `read` gives no more bytes than it is told.

    FILE_NOT_READY as long as no message of the peer has named the file, for a task that
    is somebody else's as for none (G33). ENVELOPE_INVALID for another node's ticket,
    INVALID_FIELD for other bytes.
    """
    node = lifecycle.policy().node
    if (ticket.sender, ticket.recipient) != (peer.address, node):
        raise SynapseError(
            Code.ENVELOPE_INVALID,
            "The file is for somebody else.",
            details={"recipient": ticket.recipient, "node": node},
        )
    file = _awaited(peer, ticket)
    if file is not None:
        foreignfiles.bring(file, read(ticket.size))
    return ack_of_file(peer.address, upload_id)


def _awaited(peer: Agent, ticket: FileTicket) -> Attachment | None:
    try:
        task, side = find(peer, ticket.task_id)
    except SynapseError as unknown:
        # The message that names it may still be on its way.
        raise SynapseError(Code.FILE_NOT_READY, retry_after=5) from unknown
    kind = Attachment.Kind.RESULT if side is Side.EXECUTOR else Attachment.Kind.INPUT
    return foreignfiles.awaited(
        task.id,
        kind,
        file_id=ticket.file_id,
        size=ticket.size,
        sha256=ticket.sha256,
    )
