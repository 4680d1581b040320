"""A file as a download: the bytes as they came, never shown by a browser (G57)."""

import re

from django.http import FileResponse

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import foreignfiles, storage
from tasks_app.api.names import harmless
from tasks_app.filetypes import UNSPECIFIED
from tasks_app.models import Attachment

_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(; ?charset=[\w-]+)?", re.ASCII)
_SOON_SECONDS = 5


def download(file: Attachment) -> FileResponse:
    """FILE_NOT_READY while another agent still has it, FILE_NOT_FOUND without bytes."""
    if foreignfiles.is_coming(file):
        raise SynapseError(Code.FILE_NOT_READY, retry_after=_SOON_SECONDS)
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
