"""A bad network in front of one HTTP server on loopback; bad by count, not by chance.

    with Proxy(port) as road:
        ...send to road.url...

Every third request is lost: the first time on its way there, the next time its answer
on its way back, and so on. Every fifth that is not lost arrives twice.
"""

import socketserver
import threading
from enum import Enum
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler
from typing import Self

LOST_EVERY, DOUBLED_EVERY = 3, 5
_SECONDS = 20.0
# They speak of one connection; the lengths are told anew.
_HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}

Answer = tuple[int, list[tuple[str, str]], bytes]


class Fate(Enum):
    """How often a request arrives, and whether its sender hears what it came to."""

    FINE = (1, True)
    DOUBLED = (2, True)
    LOST = (0, False)
    ANSWER_LOST = (1, False)


def fate_of(number: int) -> Fate:
    """Of the request of this number, counted from 1."""
    if number % LOST_EVERY == 0:
        return Fate.LOST if number // LOST_EVERY % 2 else Fate.ANSWER_LOST
    return Fate.FINE if number % DOUBLED_EVERY else Fate.DOUBLED


class Proxy:
    """Use it as a context manager. `fates` says what became of the requests so far."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.fates: list[Fate] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Exchange)
        self._server.proxy = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def next_fate(self) -> Fate:
        with self._lock:
            self.fates.append(fate_of(len(self.fates) + 1))
            return self.fates[-1]


class _Server(socketserver.ThreadingTCPServer):
    proxy: Proxy
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64


class _Exchange(BaseHTTPRequestHandler):
    """One connection, one request."""

    protocol_version = "HTTP/1.1"
    timeout = _SECONDS
    server: _Server

    def do_POST(self) -> None:
        self.close_connection = True
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        arrivals, heard = self.server.proxy.next_fate().value
        try:
            answers = [self._forward(body) for _ in range(arrivals)]
            if heard:
                self._answer(*answers[-1])
        except (OSError, HTTPException):
            pass  # Who is not there does not answer, and who left does not hear.

    do_GET = do_POST

    def _forward(self, body: bytes) -> Answer:
        port = self.server.proxy.target
        connection = HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
        try:
            headers = dict(self.headers.items())
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Quiet: `fates` is the log."""
