"""One request, from its head to its answer.

    no body      → answer
    a small one  → wait until it is there → answer
    another one  → ask the application without it; if it wants it: Upload → answer

Each arrow may lead to another thread. Between them only the connection is held.
"""

import io
import time
from collections.abc import Callable
from typing import IO, Any, Never

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]

from synapse_site.edge.answer import answer
from synapse_site.edge.environ import ASKED_BEFORE, environ
from synapse_site.edge.limits import Limits
from synapse_site.edge.upload import Upload
from synapse_site.edge.waiting import Wait, Waiting
from synapse_site.edge.wire import Application, Pending, RequestHeaders, Watcher

# Bytes that may lie in memory; a thousand connections can hold this much each.
SMALL_BODY = 64 * 1024


class Call:
    """`begin` never raises, nor does anything that it starts."""

    def __init__(
        self,
        application: Application,
        limits: Limits,
        waiting: Waiting,
        watcher: Watcher,
    ) -> None:
        self._application = application
        self._limits = limits
        self._waiting = waiting
        self._watcher = watcher
        self._scope = watcher.scope
        self._back = watcher.proto
        self._length: int | None = None

    def begin(self) -> None:
        """Answer, or see to it that somebody will."""
        self._contained(self._begin)

    def _begin(self) -> None:
        self._length = _announced(self._scope.headers)
        if self._length == 0:
            self._answer(io.BytesIO())
            return
        allowed = self._limits.allowed(self._scope.path)
        too_long = self._length is not None and self._length > allowed.bytes
        if too_long and not allowed.says_itself:
            self._refuse(413)
        elif self._length is not None and self._length <= min(
            allowed.bytes, SMALL_BODY
        ):
            self._collect()
        elif not self._answered_from_head():
            if too_long:
                self._refuse(413)
            else:
                self._upload(allowed.bytes)

    def _collect(self) -> None:
        pending = self._back()
        wait = Wait(pending, time.monotonic() + self._limits.seconds)
        self._waiting.add(wait)

        def came(whole: Pending) -> None:
            self._waiting.remove(wait)
            self._contained(lambda: self._collected(whole))

        pending.add_done_callback(came)

    def _collected(self, pending: Pending) -> None:
        if pending.cancelled():
            self._refuse(408)
            return
        try:
            body = pending.result()
        except ProtocolClosed:
            self._refuse(400)  # It may have closed its half only, and still listen.
        else:
            self._answer(io.BytesIO(body))

    def _answered_from_head(self) -> bool:
        """Whether the application needs no body for its answer, a refusal mostly.

        A key is looked at before a body is. Where it holds, this was done for nothing.
        """
        # Some length, where none was announced: else Django would not even try to read.
        size = 1 if self._length is None else None
        made = environ(self._scope, _Withheld(), size)
        try:
            answer(self._application, made, self._back)
        except _BodyWanted:
            return False
        self._watcher.done()
        return True

    def _upload(self, most: int) -> None:
        upload = Upload(self._back, most, self._limits, self._waiting)

        def taken(file: IO[bytes], size: int) -> None:
            with file:
                self._contained(lambda: self._uploaded(file, size, most))

        upload.start(
            taken=taken,
            slow=lambda: self._contained(lambda: self._refuse(408)),
            short=lambda: self._contained(lambda: self._refuse(400)),
            failed=self._watcher.err,
        )

    def _uploaded(self, file: IO[bytes], size: int, most: int) -> None:
        if self._length is not None and size < self._length:
            self._refuse(400)
        elif size > most:
            self._refuse(413)  # What is here is not all there was.
        else:
            self._answer(file, size, asked_before=True)

    def _answer(
        self, body: IO[bytes], size: int | None = None, *, asked_before: bool = False
    ) -> None:
        made = environ(self._scope, body, size)
        if asked_before:
            made[ASKED_BEFORE] = "1"
        answer(self._application, made, self._back)
        self._watcher.done()

    def _refuse(self, status: int) -> None:
        self._back.response_bytes(*self._limits.refusal(status, self._scope.path))
        self._watcher.done()

    def _contained(self, step: Callable[[], None]) -> None:
        """Called from Rust, where nobody would hear of an exception."""
        try:
            step()
        except ProtocolClosed:
            self._watcher.done()  # The client left.
        except BaseException as error:  # noqa: BLE001 - the last net
            self._watcher.err(error)


def _announced(headers: RequestHeaders) -> int | None:
    """The length of the body; None when only its end will tell. granian checked it."""
    if "transfer-encoding" in headers:
        return None
    return int(headers.get("content-length", "0"))


class _BodyWanted(BaseException):
    """Not an Exception: no net of Django or of ours may catch it on its way."""


class _Withheld(io.RawIOBase):
    """A body that nobody has read yet."""

    def _refuse(self, *_: Any) -> Never:
        raise _BodyWanted

    read = readline = readlines = readinto = readall = __next__ = _refuse
