"""Calls the WSGI application and gives granian the whole answer at once.

Nobody reads an answer piece by piece in a thread of ours: bytes and files are handed
over, and a client that takes them slowly keeps nobody from work.
"""

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from synapse_site.edge.wire import Application, Exchange

# Smaller files are sent as bytes: opening them again costs more.
_SMALL_FILE = 64 * 1024

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType]


class File:
    """`wsgi.file_wrapper`: what Django returns for a file."""

    def __init__(self, source: IO[bytes], block_size: int = 64 * 1024) -> None:
        self._source = source
        self._block_size = block_size

    def __iter__(self) -> Iterator[bytes]:
        while block := self._source.read(self._block_size):
            yield block

    def close(self) -> None:
        self._source.close()

    def path(self) -> str | None:
        """Where it lies, if all of it is to be sent and it is worth the way."""
        name = getattr(self._source, "name", None)
        if not isinstance(name, str | Path) or not Path(name).is_absolute():
            return None
        try:
            whole = self._source.tell() == 0
        except (AttributeError, io.UnsupportedOperation):
            return None
        worth = whole and Path(name).stat().st_size > _SMALL_FILE
        return str(name) if worth else None


class _Head:
    """`start_response`."""

    status = 500
    headers: list[tuple[str, str]]

    def __call__(
        self,
        status: str,
        headers: list[tuple[str, str]],
        exc_info: _ExcInfo | None = None,
    ) -> None:
        self.status = int(status[:3])
        self.headers = headers


def answer(application: Application, environ: dict[str, Any], back: Exchange) -> None:
    """Ask the application and send what it says."""
    head = _Head()
    body: Iterable[bytes] = application(environ, head)
    try:
        path = body.path() if isinstance(body, File) else None
        if environ["REQUEST_METHOD"] == "HEAD":
            back.response_empty(head.status, head.headers)
        elif path:
            back.response_file(head.status, head.headers, path)
        else:
            back.response_bytes(head.status, head.headers, b"".join(body))
    finally:
        if close := getattr(body, "close", None):
            close()
