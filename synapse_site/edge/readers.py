"""Clients that do not take their answer: found and ended by what the kernel counts.

granian hands bytes to the kernel as fast as the kernel takes them, without a thread of
ours. How many of them reached the client is known to the kernel alone, so this looks
there, every few seconds, and only on Linux.
"""

import fcntl
import os
import socket
import stat
import struct
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from synapse_site.edge.limits import Limits

_FILES = Path("/proc/self/fd")
# In struct tcp_info of <linux/tcp.h>: bytes that the other side acknowledged.
_ACKED_AT = 120
_TCP_INFO_SIZE = 232


@dataclass(frozen=True, kw_only=True)
class _Look:
    """What was seen of a connection when its present time began."""

    at: float
    acked: int


class Readers:
    """The connections of one listening port in this process."""

    def __init__(self, port: int, limits: Limits) -> None:
        self._port = port
        self._limits = limits
        self._seen: dict[int, _Look] = {}

    def look(self, now: float) -> None:
        """End those that took less than `rate` over `seconds` while bytes waited."""
        if sys.platform != "linux":
            return
        busy: dict[int, _Look] = {}
        for connection in self._connections():
            with connection, suppress(OSError):
                if _waiting_bytes(connection):
                    number = os.fstat(connection.fileno()).st_ino
                    busy[number] = self._judge(number, connection, now)
        self._seen = busy

    def end_all(self) -> None:
        """Those that have not taken all yet, however fast they are."""
        if sys.platform == "linux":
            for connection in self._connections():
                with connection, suppress(OSError):
                    if _waiting_bytes(connection):
                        _end(connection)

    def _judge(self, number: int, connection: socket.socket, now: float) -> _Look:
        acked = _acked(connection)
        first = self._seen.get(number)
        if first is None or acked < first.acked:
            return _Look(at=now, acked=acked)
        passed = now - first.at
        if passed < self._limits.seconds:
            return first
        if acked - first.acked < passed * self._limits.rate:
            _end(connection)
        return _Look(at=now, acked=acked)

    def _connections(self) -> Iterator[socket.socket]:
        for entry in _FILES.iterdir():
            if connection := _copy(int(entry.name)):
                if self._is_client(connection):
                    yield connection
                else:
                    connection.close()

    def _is_client(self, connection: socket.socket) -> bool:
        if connection.family not in (socket.AF_INET, socket.AF_INET6):
            return False
        try:
            connection.getpeername()
            return bool(connection.getsockname()[1] == self._port)
        except OSError:
            return False


def _copy(number: int) -> socket.socket | None:
    """The socket with this number, as a copy; None if it is none.

    The number may mean another file at any moment; what a copy means stays. Only
    sockets are copied: to close any copy of a file gives up all locks that this process
    has on it, and without its locks SQLite destroys the database.
    """
    try:
        if not _is_socket(number):
            return None
        copy = os.dup(number)
    except OSError:
        return None
    if _is_socket(copy):
        return socket.socket(fileno=copy)
    # It became a file in between. Left open, for the sake of its locks.
    return None


def _is_socket(number: int) -> bool:
    return stat.S_ISSOCK(os.fstat(number).st_mode)


def _waiting_bytes(connection: socket.socket) -> int:
    """Sent or to be sent, and not acknowledged (SIOCOUTQ)."""
    found = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, b"\0" * 4)
    return int(struct.unpack("i", found)[0])


def _acked(connection: socket.socket) -> int:
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_SIZE)
    return int(struct.unpack_from("Q", info, _ACKED_AT)[0])


def _end(connection: socket.socket) -> None:
    # Without a linger the kernel would keep the bytes and try for minutes.
    linger = struct.pack("ii", 1, 0)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    connection.shutdown(socket.SHUT_RDWR)
