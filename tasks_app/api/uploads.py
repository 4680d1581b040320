"""Reading `multipart/form-data`: fields and files, within the limits while it streams.

    Body → _Parts (counts) → Django's parser → Intake (one temporary file a part)

Django's parser passes over what it does not understand. A part that is lost here would
be a file the caller believes to have sent, so the parts are counted twice.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http.multipartparser import MultiPartParser
from rest_framework.request import Request

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.api.bodies import Body, require_type
from tasks_app.api.names import harmless
from tasks_app.filetypes import settled

MULTIPART = "multipart/form-data"
FILE_FIELD = "file"

Form = tuple[dict[str, str], list["UploadedFile[bytes]"]]


@contextmanager
def read_form(request: Request) -> Iterator[Form]:
    """The text fields and the files, which last as long as the block.

    UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, FILE_TOO_LARGE, TOO_MANY_FILES,
    FILE_TYPE_REFUSED; INVALID_FIELD for a form that is broken, cut short, repeats a
    field or brings a file under another name than `file`.
    """
    require_type(request, MULTIPART)
    intake = Intake()
    try:
        yield _parse(request, intake), list(intake.files)
    finally:
        intake.close()


def _parse(request: Request, intake: "Intake") -> dict[str, str]:
    body = _Parts(Body(request, settings.SYNAPSE_MAX_UPLOAD_SIZE))
    parser = _Parser(request, body, intake)
    body.delimiter = parser.delimiter
    fields, _ = parser.parse()
    body.check_whole(sum(len(texts) for _, texts in fields.lists()) + intake.begun)
    named = ((_utf_8(name), texts) for name, texts in fields.lists())
    return {name: _text(name, texts) for name, texts in named}


def _text(name: str, texts: Sequence[str]) -> str:
    if len(texts) > 1:
        raise _invalid(name, "comes twice")
    try:
        return _utf_8(texts[0])
    except UnicodeDecodeError as refused:
        raise _invalid(name, "is not UTF-8") from refused


def _utf_8(text: str) -> str:
    """The bytes that Latin-1 stands for (see `_Parser`), read as what they are."""
    return text.encode("latin-1").decode()


def _invalid(name: str, text: str) -> SynapseError:
    return SynapseError(Code.INVALID_FIELD, details={"fields": {name[:100]: text}})


class _Parser(MultiPartParser):
    def __init__(self, request: Request, body: "_Parts", intake: "Intake") -> None:
        # The length only tells the parser that there is something to read.
        meta = {"CONTENT_TYPE": request.META["CONTENT_TYPE"], "CONTENT_LENGTH": "1"}
        # Latin-1 keeps every byte. In UTF-8 the parser would replace what is none.
        super().__init__(meta, body, [intake], "latin-1")  # type: ignore[arg-type] # reads only
        boundary = (request._request.content_params or {})["boundary"]
        self.delimiter = b"--" + boundary.encode("ascii")

    def sanitize_file_name(self, file_name: str) -> str:
        return harmless(_utf_8(file_name))


class _Parts:
    """The body on its way to the parser: notes how many parts begin in it."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self.delimiter = b""
        self._delimiters = 0
        self._ended = False
        self._tail = b""

    def read(self, size: int, /) -> bytes:
        piece = self._body.read(size)
        seen = self._tail + piece
        known = self._tail.count(self.delimiter)
        self._delimiters += seen.count(self.delimiter) - known
        self._ended |= self.delimiter + b"--" in seen
        # Enough to recognise a last delimiter that arrives in two pieces.
        self._tail = seen[-(len(self.delimiter) + 1) :]
        return piece

    def check_whole(self, parts: int) -> None:
        """INVALID_FIELD unless `parts` is all there was, down to the last delimiter."""
        self._body.check_whole()
        if not self._ended:
            raise SynapseError(Code.INVALID_FIELD, "The form has no end.")
        if parts != self._delimiters - 1:
            raise SynapseError(
                Code.INVALID_FIELD, "A part of the form has no readable name."
            )


class Intake(FileUploadHandler):
    """Takes files part by part and stops at the first that breaks a limit (G56)."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[UploadedFile[bytes]] = []
        self.begun = 0
        self._open: list[UploadedFile[bytes]] = []

    def new_file(self, field_name: str, file_name: str, *args: Any, **_: Any) -> None:
        """Any: as Django's own handlers, which pass it on."""
        super().new_file(field_name, file_name, *args)
        self.begun += 1
        if field_name != FILE_FIELD:
            raise _invalid(_utf_8(field_name), f"files are sent as `{FILE_FIELD}`")
        if self.begun > settings.SYNAPSE_MAX_FILES:
            details = {"max_files": settings.SYNAPSE_MAX_FILES}
            raise SynapseError(Code.TOO_MANY_FILES, details=details)
        content_type = settled(self.content_type or "", file_name)
        # No folder ever lists it: nothing is left when this process is killed.
        source = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115
        file = UploadedFile(source, "upload", content_type, 0, self.charset, {})
        self._open.append(file)
        file.name = file_name

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write it down, unless it makes the file too large."""
        if start + len(raw_data) > settings.SYNAPSE_MAX_FILE_SIZE:
            raise SynapseError(
                Code.FILE_TOO_LARGE,
                details={"max_bytes": settings.SYNAPSE_MAX_FILE_SIZE},
            )
        self._open[-1].write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[bytes]":
        """Called only when the delimiter behind the file has come."""
        file = self._open[-1]
        file.seek(0)
        file.size = file_size
        self.files.append(file)
        return file

    def close(self) -> None:
        """Remove every temporary file that storage did not take over."""
        for file in self._open:
            file.close()
