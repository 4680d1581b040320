"""Files between nodes: GET a link of ours, POST what we could not fetch ourselves."""

import uuid

from django.http import FileResponse, HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from agents_app.protocol import tickets
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.tickets import FileTicket
from tasks_app import filelinks, inbox
from tasks_app.api import bodies
from tasks_app.api.a2a import answers, pace
from tasks_app.api.a2a.peers import verified
from tasks_app.api.a2a.views import AgentDoor
from tasks_app.api.downloading import download
from tasks_app.models import Attachment


@extend_schema(exclude=True)
class FileViewSet(AgentDoor):
    """One file: out by its link, in by a ticket."""

    def retrieve(self, request: Request, file_id: str) -> FileResponse:
        """The bytes; a nack with FORBIDDEN for a link that is not ours or too old.

        The link says it all: no key, no signed request.
        """
        query = request.query_params
        filelinks.check(
            file_id,
            expires=query.get("expires", ""),
            signature=query.get("signature", ""),
            now=timezone.now(),
        )
        # Only ids that we signed come this far.
        file = Attachment.objects.filter(pk=uuid.UUID(file_id)).first()
        if file is None:
            raise SynapseError(Code.FILE_NOT_FOUND)
        return download(file)

    def create(self, request: Request, file_id: str) -> HttpResponse:
        """Keep the bytes that a peer brings; 200 and `p2p:ack` once they are stored.

        Nothing of the body is read before the ticket is verified and the file awaited.
        """
        text = request.headers.get(tickets.HEADER, "")
        ticket = FileTicket.from_text(text)
        peer = verified(ticket.sender, request.headers, text.encode())
        self._peer = peer
        if not bodies.was_asked_for(request):  # Else this upload counted by then.
            pace.buckets.spend(peer.agent.pk)
        if ticket.file_id != file_id:
            raise SynapseError(Code.SIGNATURE_INVALID)
        bodies.require_type(request, tickets.CONTENT_TYPE)
        ack = inbox.take_file(
            peer.agent,
            ticket,
            peer.message_id,
            lambda size: bodies.Body(request, size).read_all(),
        )
        return answers.signed(
            peer, ack.to_bytes(), message_id=ack.message_id, status=200
        )
