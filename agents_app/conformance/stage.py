"""A node as a peer sees it, in one small server: acks, a mailbox, a record.

`peer_checks` put a peer before it; it takes what the peer says and offers what it is
given to say. It keeps no tasks: what an answer should be is for the checks to know.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

from agents_app.kit.endpoint import Endpoint, Exchange
from agents_app.kit.inbox import Answer, Inbox
from agents_app.kit.link import SENDER_HEADER, Link
from agents_app.protocol import jsontext, signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import SynapseError
from agents_app.protocol.payloads import Ack, Nack, Payload

Hear = Callable[[Envelope], None]


class Stage:
    """`agent:<node>` for one peer. Use it as a context manager."""

    def __init__(
        self,
        *,
        node_address: str,
        peer_address: str,
        secrets: Sequence[str],
        port: int = 0,
    ) -> None:
        self.heard: list[Envelope] = []
        # Judges what was heard; SynapseError is answered as a nack.
        self.judge: Hear = lambda envelope: None
        self._waiting: dict[str, Envelope] = {}
        self._news = threading.Condition()
        # What we say ourselves goes to the peer; `node_url` is set by who calls it.
        self.link = Link(
            address=node_address,
            secrets=tuple(secrets),
            node_url="",
            node_address=peer_address,
        )
        self._server = _Door(self, Inbox(link=self.link, hear=self._hear), port)

    @property
    def url(self) -> str:
        """The peer's SYNAPSE_URL."""
        return self._server.url

    def __enter__(self) -> Self:
        serve = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        serve.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def put(self, payload: Payload) -> Envelope:
        """Leave a message in the peer's mailbox."""
        envelope = self.link.envelope(payload)
        self._waiting[envelope.message_id] = envelope
        return envelope

    @property
    def unread(self) -> set[str]:
        """Ids of what the peer has not acknowledged."""
        return set(self._waiting)

    def wait_for(
        self, fits: Callable[[Envelope], bool], within_s: float = 10.0
    ) -> Envelope | None:
        """The first message that fits, heard already or still to come."""

        def found() -> Envelope | None:
            return next(filter(fits, self.heard), None)

        with self._news:
            self._news.wait_for(lambda: found() is not None, within_s)
        return found()

    def mailbox(self, headers: dict[str, str], query: dict[str, list[str]]) -> Answer:
        """GET messages, all on one page."""
        signed_id = self._verified(headers)
        if signed_id is None:
            return Answer(status=401, body=b"", headers={})
        waiting = list(self._waiting.values())
        after = query.get("after", [""])[0]
        ids = [envelope.message_id for envelope in waiting]
        start = ids.index(after) + 1 if after in ids else 0
        page = {
            "success": True,
            "messages": [envelope.to_json() for envelope in waiting[start:]],
            "next": None,
        }
        body = jsontext.dumps(page)
        return Answer(status=200, body=body, headers=self.link.sign(signed_id, body))

    def _verified(self, headers: dict[str, str]) -> str | None:
        given = {name.lower(): value for name, value in headers.items()}
        if given.get(SENDER_HEADER) != self.link.node_address:
            return None
        with suppress(SynapseError):
            return signing.verify(given, b"", self.link.secrets, now=datetime.now(UTC))
        return None

    def _hear(self, envelope: Envelope) -> None:
        self.judge(envelope)
        words = envelope.content()
        with self._news:
            if isinstance(words, Ack | Nack):
                self._waiting.pop(words.message_id, None)
            self.heard.append(envelope)
            self._news.notify_all()


class _Exchange(Exchange):
    server: "_Door"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if not parts.path.endswith("/a2a/messages"):
            self.send(Answer(status=404, body=b"", headers={}))
            return
        headers = dict(self.headers.items())
        self.send(self.server.stage.mailbox(headers, parse_qs(parts.query)))


class _Door(Endpoint):
    exchange = _Exchange

    def __init__(self, stage: Stage, inbox: Inbox, port: int) -> None:
        super().__init__(inbox, "127.0.0.1", port)
        self.stage = stage
