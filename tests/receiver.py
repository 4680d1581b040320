"""A real HTTP receiver on 127.0.0.1 that records what arrives and can misbehave.

    with Receiver(status(500), status(500), ok()) as receiver:
        ...send something to receiver.url("/hook")...
        first, second, third = receiver.wait_for(3)

What it answers is a script of steps, per path (`on`) or for all paths; the last step
of a script repeats. Closing it lets go of every client it kept waiting.
"""

import gzip
import json
import socket
import socketserver
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One request as it arrived. Header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    received_at: datetime

    def json(self) -> Any:
        return json.loads(self.body)


class Exchange(BaseHTTPRequestHandler):
    """One connection, one request: read it, record it, play the next step."""

    protocol_version = "HTTP/1.1"
    timeout = 10.0  # A client that connects and says nothing must not outlive a test.
    server: "_Server"

    @property
    def receiver(self) -> "Receiver":
        return self.server.receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        recorded = Recorded(
            method=self.command,
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            received_at=datetime.now(UTC),
        )
        self.close_connection = True
        self.receiver.record(recorded)(self)

    do_GET = do_PUT = do_PATCH = do_DELETE = do_POST

    def answer(
        self, code: int, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> None:
        self.send_response(code)
        for name, value in {
            # Or a client may use the connection again while it is being closed.
            "Connection": "close",
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Tests read what was recorded, not a log."""


Step = Callable[[Exchange], None]


def status(
    code: int, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> Step:
    return lambda exchange: exchange.answer(code, headers, body)


def ok(body: bytes = b"{}") -> Step:
    return status(200, {"Content-Type": "application/json"}, body)


def gone() -> Step:
    return status(410)


def slow_down(retry_after: int | str) -> Step:
    return status(429, {"Retry-After": str(retry_after)})


def redirect(location: str, code: int = 302) -> Step:
    return status(code, {"Location": location})


def hang() -> Step:
    """Accept the request and stay silent until the receiver closes."""
    return lambda exchange: exchange.receiver.closing.wait()


def held(release: threading.Event, then: Step | None = None) -> Step:
    """Answer only once the test says so."""

    def step(exchange: Exchange) -> None:
        while not release.wait(0.05):
            if exchange.receiver.closing.is_set():
                return
        (then or ok())(exchange)

    return step


def endless(
    piece: bytes, after: bytes = b"HTTP/1.1 200 OK\r\n", every: float = 0
) -> Step:
    """The piece again and again, as fast as it is taken or at intervals in seconds."""

    def step(exchange: Exchange) -> None:
        exchange.wfile.write(after)
        while not exchange.receiver.closing.wait(every):
            exchange.wfile.write(piece)

    return step


def drip_headers(every: float = 0.05) -> Step:
    """A status line, then one byte of a header at a time, for ever."""
    return endless(b"x", b"HTTP/1.1 200 OK\r\nX-Slow: ", every)


def drip_body(every: float = 0.05) -> Step:
    """Whole headers, then one byte of the body at a time, for ever."""
    return endless(b"x", b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", every)


def huge(size: int = 1 << 30) -> Step:
    """A body of zeros, promised and sent in full to whoever keeps reading."""

    def step(exchange: Exchange) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n"
        exchange.wfile.write(head.encode())
        block = bytes(1 << 16)
        for _ in range(size // len(block)):
            exchange.wfile.write(block)

    return step


def gzip_bomb(size: int = 50 << 20) -> Step:
    """Some kilobytes that unpack to `size` bytes."""
    packed = gzip.compress(bytes(size))
    return status(200, {"Content-Encoding": "gzip"}, packed)


def raw(data: bytes) -> Step:
    """These bytes and the end of the connection, whether they are HTTP or not."""
    return lambda exchange: exchange.wfile.write(data)


def reset() -> Step:
    """Break the connection off with a TCP reset."""

    def step(exchange: Exchange) -> None:
        no_linger = struct.pack("ii", 1, 0)
        exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_linger)
        exchange.rfile.close()
        exchange.connection.close()

    return step


class Receiver:
    """The server. Use it as a context manager; any number of clients at once."""

    def __init__(self, *script: Step, certificate: Path | None = None) -> None:
        """A `certificate`, which `self_signed` makes, means TLS."""
        self.closing = threading.Event()
        self._scripts: dict[str | None, list[Step]] = {None: list(script) or [ok()]}
        self._requests: list[Recorded] = []
        self._changed = threading.Condition()
        self._scheme = "https" if certificate else "http"
        self._server = _Server(self, certificate)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def on(self, path: str, *script: Step) -> Self:
        """What to answer to requests for this path (the query does not count)."""
        with self._changed:
            self._scripts[path] = list(script)
        return self

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self._scheme}://{host}:{self.port}{path}"

    @property
    def connections(self) -> int:
        """How many sockets were opened to it, whether a request followed or not."""
        return self._server.accepted

    @property
    def requests(self) -> tuple[Recorded, ...]:
        with self._changed:
            return tuple(self._requests)

    def wait_for(
        self, count: int, timeout: float = 10.0, *, path: str | None = None
    ) -> tuple[Recorded, ...]:
        """The requests so far (to `path`), once there are at least `count`."""

        def matching() -> tuple[Recorded, ...]:
            seen = self._requests
            return tuple(one for one in seen if path in (None, _bare(one.path)))

        with self._changed:
            enough = self._changed.wait_for(lambda: len(matching()) >= count, timeout)
            assert enough, f"{len(matching())} of {count} requests in {timeout} s"
            return matching()

    def record(self, recorded: Recorded) -> Step:
        """Keep a request and say which step answers it."""
        path = _bare(recorded.path)
        with self._changed:
            self._requests.append(recorded)
            self._changed.notify_all()
            script = self._scripts[path if path in self._scripts else None]
            return script.pop(0) if len(script) > 1 else script[0]


def _bare(path: str) -> str:
    return path.partition("?")[0]


class _Server(socketserver.ThreadingTCPServer):
    """Not http.server's own, which asks DNS for its name when it starts."""

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, receiver: Receiver, certificate: Path | None) -> None:
        self.receiver = receiver
        self.accepted = 0
        self._tls: ssl.SSLContext | None = None
        if certificate:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate)
        super().__init__(("127.0.0.1", 0), Exchange)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self.accepted += 1
        if self._tls:
            # The handshake waits for the handler's thread: others must not wait for it.
            connection = self._tls.wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False
            )
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves in the middle is what many tests are about."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


@contextmanager
def never_accepting() -> Iterator[str]:
    """The URL of a listening socket whose backlog is full: a connect never ends."""
    fillers = [socket.socket() for _ in range(4)]
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            for filler in fillers:
                filler.close()


def self_signed(folder: Path, *names: str) -> Path:
    """A PEM file with a fresh key and a certificate for these names and addresses."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "receiver")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([_general_name(name) for name in names]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False
        )
        .sign(key, hashes.SHA256())
    )
    pem = folder / "receiver.pem"
    pem.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return pem


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
