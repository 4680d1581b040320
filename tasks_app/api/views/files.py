"""Files: uploaded with a task or attached by its agent, as downloads only (G57)."""

import re

from django.http import FileResponse
from rest_framework.request import Request

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import storage
from tasks_app.api import openapi, reading
from tasks_app.api.names import harmless
from tasks_app.api.views.door import Door, caller
from tasks_app.filetypes import UNSPECIFIED

_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(; ?charset=[\w-]+)?", re.ASCII)


class FileViewSet(Door):
    """The bytes as they came, never shown by a browser."""

    only_json = False

    @openapi.download
    def retrieve(self, request: Request, task_id: str, file_id: str) -> FileResponse:
        """Download a file."""
        own = reading.task_of(caller(request).caller_id, task_id, reading.ID)
        file = reading.file_of(own, file_id)
        try:
            content = storage.path_of(file.pk).open("rb")
        except FileNotFoundError as gone:
            raise SynapseError(Code.FILE_NOT_FOUND) from gone
        kind = file.content_type
        return FileResponse(
            content,
            as_attachment=True,
            filename=harmless(file.name),
            content_type=kind if _TYPE.fullmatch(kind) else UNSPECIFIED,
            headers={"Content-Security-Policy": "default-src 'none'; sandbox"},
        )
