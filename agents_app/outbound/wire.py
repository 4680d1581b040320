"""A socket on which no read and no write outlives the budget of the whole request.

A plain socket timeout starts again with every byte, so a receiver that drips would
keep us for ever. Here each operation gets what is left (G23). Stands between
`connection` and `http.client`, and needs neither a watchdog thread nor a signal.
"""

from __future__ import annotations

import io
from http.client import HTTPException
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

    from _typeshed import WriteableBuffer


class Deadline:
    """The moment, some seconds from now, at which a request must have ended."""

    def __init__(self, seconds: float) -> None:
        self._ends = monotonic() + seconds

    def left(self) -> float:
        """Seconds left, always more than zero; TimeoutError afterwards."""
        left = self._ends - monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class TooMuch(HTTPException):
    """The receiver sent more framing than any honest answer needs."""


class TimedSocket:
    """The three methods of a socket that `http.client` uses, with limits.

    `limit` is the number of bytes read in all, headers included: it ends floods of
    headers, trailers and chunk extensions, which are never kept.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline, *, limit: int) -> None:
        self._sock = sock
        self._deadline = deadline
        self._limit = limit

    def sendall(self, data: bytes) -> None:
        """Send piece by piece: a TLS socket gives each record the full timeout."""
        rest = memoryview(data)
        while rest:
            self._sock.settimeout(self._deadline.left())
            rest = rest[self._sock.send(rest) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        """What the answer is read from."""
        return io.BufferedReader(_Incoming(self._sock, self._deadline, self._limit))

    def close(self) -> None:
        """Nothing: the answer may still be read. `connection` closes the socket."""


class _Incoming(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: Deadline, limit: int) -> None:
        self._sock = sock
        self._deadline = deadline
        self._allowance = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        if self._allowance <= 0:
            raise TooMuch
        self._sock.settimeout(self._deadline.left())
        received = self._sock.recv_into(buffer)
        self._allowance -= received
        return received
