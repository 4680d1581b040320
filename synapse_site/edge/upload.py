"""A body that is too large for memory: piece by piece into a file without a name.

Nothing is left of it when the process is killed, because no folder ever lists it.
"""

import tempfile
import time
from collections.abc import Callable
from typing import IO

from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]

from synapse_site.edge.limits import Limits
from synapse_site.edge.waiting import Wait, Waiting
from synapse_site.edge.wire import Exchange, Pending

Taken = Callable[[IO[bytes], int], None]


class Upload:
    """Reads until the end, or until there is more than `most`."""

    def __init__(
        self, source: Exchange, most: int, limits: Limits, waiting: Waiting
    ) -> None:
        self._pieces = source.__aiter__()
        self._most = most
        self._limits = limits
        self._waiting = waiting
        self._began = time.monotonic()
        self._size = 0
        self._seen_empty = False

    def start(
        self,
        *,
        taken: Taken,
        slow: Callable[[], None],
        short: Callable[[], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        """One of the four is called, once, in any thread.

        `taken` with the file and its size, which closes it; `slow` when the time of
        the body is over; `short` when it ended before its end, or brings trailers.
        """
        self._taken, self._slow, self._short = taken, slow, short
        self._failed = failed
        self._file = tempfile.TemporaryFile(dir=self._limits.folder)  # noqa: SIM115
        self._wait: Wait | None = None
        self._contained(self._next)

    def _next(self) -> None:
        try:
            pending = self._pieces.__anext__()
        except StopAsyncIteration:
            self._hand_over()
            return
        until = self._began + self._limits.patience(self._size)
        if self._wait is None:
            self._wait = Wait(pending, until)
            self._waiting.add(self._wait)
        else:
            self._wait.pending, self._wait.until = pending, until
        pending.add_done_callback(self._came)

    def _came(self, pending: Pending) -> None:
        self._contained(lambda: self._take(pending))

    def _take(self, pending: Pending) -> None:
        if pending.cancelled():
            self._close()
            self._slow()
            return
        try:
            piece = pending.result()
        except ProtocolClosed:
            self._close()
            self._short()
            return
        if self._is_short(piece):
            self._close()
            self._short()
            return
        self._file.write(piece)
        self._size += len(piece)
        if self._size > self._most:
            self._hand_over()
        else:
            self._next()

    def _is_short(self, piece: bytes) -> bool:
        """Whether anything follows an empty piece.

        granian gives one for the end, and no word of an error: an empty piece stands
        for that, too, as for trailers, and then comes the one for the end.
        """
        seen, self._seen_empty = self._seen_empty, not piece
        return seen

    def _hand_over(self) -> None:
        self._leave()
        self._file.seek(0)
        self._taken(self._file, self._size)

    def _contained(self, step: Callable[[], None]) -> None:
        try:
            step()
        except BaseException as error:  # noqa: BLE001 - nobody above us would see it
            self._close()
            self._failed(error)

    def _close(self) -> None:
        self._leave()
        self._file.close()

    def _leave(self) -> None:
        if self._wait is not None:
            self._waiting.remove(self._wait)
