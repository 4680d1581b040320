"""Our own HTTP endpoint, for a node that can call us: POST, one envelope each.

Plain `http.server`; put a proxy with TLS in front of it where the network is not yours.
"""

import logging
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agents_app.kit.inbox import Answer, Inbox

# What Synapse sends at most: the largest body plus its envelope, with room to spare.
MAX_BYTES = 8 * 1024 * 1024
_SECONDS = 30.0

logger = logging.getLogger(__name__)

Receive = Callable[[Mapping[str, str], bytes], Answer]


class Exchange(BaseHTTPRequestHandler):
    """One connection: requests, each with one envelope."""

    protocol_version = "HTTP/1.1"
    timeout = _SECONDS
    server: "Endpoint"

    def do_POST(self) -> None:
        length = self.headers.get("content-length") or ""
        if not (length.isascii() and length.isdigit()):
            self._refuse(411)
        elif int(length[:12]) > MAX_BYTES:
            self._refuse(413)
        elif self.headers.get_content_type() != "application/json":
            self._refuse(415)
        else:
            body = self.rfile.read(int(length))
            self.send(self.server.receive(dict(self.headers.items()), body))

    def _refuse(self, status: int) -> None:
        """The body was not read, so nothing else can follow on this connection."""
        self.close_connection = True
        self.send(Answer(status=status, body=b"", headers={}))

    def send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, *words: object) -> None:
        """Quiet: the agent logs what it does."""


class Endpoint(ThreadingHTTPServer):
    """Any path will do. Use it as any `socketserver`: `serve_forever`, `shutdown`."""

    daemon_threads = True
    exchange: type[BaseHTTPRequestHandler] = Exchange

    def __init__(self, inbox: Inbox, host: str, port: int) -> None:
        super().__init__((host, port), self.exchange)
        self.receive: Receive = inbox.receive

    @property
    def url(self) -> str:
        """Where it listens, with the port that port 0 became."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that hangs up is no news; the rest goes to the log."""
        logger.debug("A request from %s broke.", client_address, exc_info=True)
