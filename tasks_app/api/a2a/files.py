"""GET files/{file_id}: what a link in one of our messages leads to."""

import uuid

from django.http import FileResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import filelinks
from tasks_app.api.a2a.views import AgentDoor
from tasks_app.api.downloading import download
from tasks_app.models import Attachment


@extend_schema(exclude=True)
class LinkedFileViewSet(AgentDoor):
    """The link says it all: no key, no signed request."""

    def retrieve(self, request: Request, file_id: str) -> FileResponse:
        """The bytes; a nack with FORBIDDEN for a link that is not ours or too old."""
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
