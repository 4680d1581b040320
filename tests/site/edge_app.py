"""A small application behind the edge, and a program that talks to it byte by byte."""

import hashlib
import json
import os
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from synapse_site.edge.edge import Edge
from synapse_site.edge.limits import Allowance, Limits
from tests import services
from tests.stack.process import START_SECONDS, Process
from tests.stack.waiting import eventually

SECONDS = 1.0
RATE = 50_000.0
MOST = 2_000_000
BIG_FILE = 20_000_000


def application(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path == "/fails":
        raise LookupError("as it was asked to")
    if path == "/closed":
        start("401 Unauthorized", [("Content-Length", "2")])
        return [b"no"]
    if path == "/file":
        big = Path(os.environ["EDGE_FILE"])
        start("200 OK", [("Content-Length", str(big.stat().st_size))])
        return environ["wsgi.file_wrapper"](big.open("rb"))
    said = said_of(environ)
    start("200 OK", [("Content-Length", str(len(said)))])
    return [said]


def said_of(environ: dict[str, Any]) -> bytes:
    body = environ["wsgi.input"].read()
    seen = {name: text for name, text in environ.items() if isinstance(text, str)}
    digest = hashlib.sha256(body).hexdigest()
    return json.dumps({"size": len(body), "sha256": digest, "environ": seen}).encode()


def allowed(path: str) -> Allowance:
    return Allowance(bytes=MOST, says_itself=path in ("/closed", "/exact"))


edge = Edge(
    application,
    Limits(
        seconds=SECONDS,
        rate=RATE,
        folder=os.environ.get("EDGE_FOLDER"),
        allowed=allowed,
    ),
)


class Served:
    """The server as a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.port = services.free_port()
        self.spool = folder / "spool"
        self.spool.mkdir()
        big = folder / "big"
        big.write_bytes(b"x" * BIG_FILE)
        command = [sys.executable, "-m", "synapse_site.edge", "--port", str(self.port)]
        command += ["--blocking-threads", "2", "tests.site.edge_app:edge"]
        environ = os.environ | {"EDGE_FILE": str(big), "EDGE_FOLDER": str(self.spool)}
        self.process = Process("edge", command, environ, folder)

    @contextmanager
    def running(self) -> Iterator["Served"]:
        self.process.start()
        try:
            eventually(self._answers, START_SECONDS, self.process.tail)
            yield self
        finally:
            self.process.kill()

    def _answers(self) -> bool:
        with suppress(OSError):
            return b"200 OK" in self.ask(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        return False

    def connect(self, *, narrow: bool = False) -> socket.socket:
        """`narrow`: so that the server soon notices when nothing is read."""
        if not narrow:
            return socket.create_connection(("127.0.0.1", self.port), 20)
        made = socket.socket()
        made.settimeout(20)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
        made.connect(("127.0.0.1", self.port))
        return made

    def send(self, data: bytes, *, narrow: bool = False) -> socket.socket:
        made = self.connect(narrow=narrow)
        made.sendall(data)
        return made

    @contextmanager
    def holding(
        self, *texts: bytes, times: int = 1, narrow: bool = False
    ) -> Iterator[list[socket.socket]]:
        """A connection for each text, as often; what comes back is not read."""
        with ExitStack() as held:
            yield [
                held.enter_context(self.send(text, narrow=narrow))
                for text in texts * times
            ]

    def ask(self, data: bytes) -> bytes:
        """What comes until the server closes or keeps quiet for the next request."""
        with self.send(data) as connection:
            return answer_on(connection)

    def says(self, data: bytes) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.ask(data).partition(b"\r\n\r\n")[2])
        return said

    def workers(self) -> list[Path]:
        """Folders of /proc of the processes that serve."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [Path("/proc") / child for child in children]

    def open_files(self) -> int:
        return sum(len(list((one / "fd").iterdir())) for one in self.workers())


def head(path: str, *headers: str, method: str = "POST") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: a", *headers, "", ""]
    return "\r\n".join(lines).encode()


def answer_on(connection: socket.socket) -> bytes:
    """One whole answer, by its Content-Length or to the end of the connection."""
    came = b""
    while piece := connection.recv(65_536):
        came += piece
        top, gap, body = came.partition(b"\r\n\r\n")
        _, named, rest = top.lower().partition(b"content-length: ")
        if gap and named and len(body) >= int(rest.split(b"\r\n")[0]):
            break
    return came


def is_closed(connection: socket.socket) -> bool:
    """Whether nothing but the end comes any more."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True
