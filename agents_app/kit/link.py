"""The signed line to one node: what we say, and what it lets us read.

A message is sent until the node itself answers it, each time under the same id with a
new timestamp (docs/protocol.md, "Sending"). Only a signed answer counts: a proxy can
say 200 too.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import requests

from agents_app.protocol import ids, jsontext, signing, tickets
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import CATALOGUE, Code, SynapseError
from agents_app.protocol.payloads import Ack, Attachment, Nack, Payload
from agents_app.protocol.tickets import FileTicket

API = "/api/v1/synapse/a2a"
SENDER_HEADER = "x-synapse-agent"
# Connect and read, in seconds.
TIMEOUT = (5.0, 30.0)
RETRY_SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)

logger = logging.getLogger(__name__)

Json = dict[str, Any]  # Any: a JSON value has no narrower type.


class Undelivered(Exception):
    """The node gave no answer of its own, for as long as it was tried."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """`secrets` are `whsec_…`, one or, while one is replaced, two."""

    address: str
    secrets: Sequence[str]
    node_url: str
    node_address: str
    retry_s: Sequence[float] = RETRY_SECONDS
    # Set when the agent stops: no wait outlives it.
    stopping: threading.Event = field(default_factory=threading.Event)

    def envelope(self, payload: Payload, *, in_reply_to: str | None = None) -> Envelope:
        """The payload on its way to the node, under a fresh id."""
        return Envelope.carrying(
            payload,
            message_id=ids.new_message_id(),
            sender=self.address,
            recipient=self.node_address,
            timestamp=datetime.now(UTC),
            in_reply_to=in_reply_to,
        )

    def send(self, envelope: Envelope) -> Ack | Nack:
        """The node's answer; tried again while there is none, or one to try again.

        Undelivered when no try got an answer.
        """
        body = envelope.to_bytes()
        return self._until_answered(lambda: self._post(envelope.message_id, body))

    def bring(self, task_id: str, file: Attachment, data: bytes) -> Ack | Nack:
        """The bytes of a file that a message has named without a `url`.

        Tried again like a message: the node may not have heard that message yet.
        """
        ticket = FileTicket(
            sender=self.address,
            recipient=self.node_address,
            task_id=task_id,
            file_id=file.file_id,
            size=file.size,
            sha256=file.sha256,
        ).to_text()
        upload_id = ids.new_message_id()
        return self._until_answered(lambda: self._upload(upload_id, ticket, file, data))

    def _until_answered(self, ask: Callable[[], Ack | Nack]) -> Ack | Nack:
        trouble = "stopping"
        answer: Ack | Nack | None = None
        for wait_s in (*self.retry_s, None):
            try:
                answer = ask()
            except (requests.RequestException, SynapseError) as error:
                trouble = str(error)
            if isinstance(answer, Ack) or (answer and not _may_pass(answer)):
                return answer
            if wait_s is None or self.stopping.wait(_patience(answer, wait_s)):
                break
        if answer is None:
            raise Undelivered(f"{self.node_url} gave no answer of its own: {trouble}")
        return answer

    def send_aside(self, envelope: Envelope) -> None:
        """In a thread of its own: what we hear is answered before what follows."""
        threading.Thread(target=self._send_aside, args=(envelope,), daemon=True).start()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        """A signed GET below `/a2a`; SynapseError as the node says it, or Undelivered.

        `path` begins with a slash.
        """
        signed = self.sign(ids.new_message_id(), b"")
        try:
            reply = requests.get(
                f"{self.node_url}{API}{path}",
                params=query,
                headers={**signed, SENDER_HEADER: self.address},
                timeout=TIMEOUT,
                allow_redirects=False,
            )
            self._verify(reply)
        except (requests.RequestException, SynapseError) as error:
            raise Undelivered(f"{self.node_url} cannot be read: {error}") from error
        if not reply.ok:
            raise _as_error(Envelope.from_bytes(reply.content))
        return cast(Json, jsontext.loads(reply.content))

    def mailbox(self) -> Iterator[Envelope]:
        """All that waits for us, oldest first; it waits until it is acknowledged."""
        query: dict[str, str] = {}
        while True:
            page = self.get("/messages", query)
            for message in page["messages"]:
                yield Envelope.from_bytes(jsontext.dumps(message))
            if page["next"] is None:
                return
            query = {"after": page["next"]}

    def sign(self, message_id: str, body: bytes) -> dict[str, str]:
        """The three headers, signed now."""
        return signing.sign(
            message_id=message_id,
            timestamp=datetime.now(UTC),
            body=body,
            secrets=self.secrets,
        )

    def _send_aside(self, envelope: Envelope) -> None:
        try:
            answer = self.send(envelope)
        except Undelivered as trouble:
            logger.warning("%s was not delivered: %s", envelope.type, trouble)
            return
        if isinstance(answer, Nack):
            logger.warning("%s was refused: %s", envelope.type, answer.error.message)

    def _post(self, message_id: str, body: bytes) -> Ack | Nack:
        reply = requests.post(
            f"{self.node_url}{API}/messages",
            data=body,
            headers={
                "Content-Type": "application/json",
                **self.sign(message_id, body),
            },
            timeout=TIMEOUT,
            allow_redirects=False,
        )
        return self._answer(reply, message_id)

    def _upload(
        self, upload_id: str, ticket: str, file: Attachment, data: bytes
    ) -> Ack | Nack:
        reply = requests.post(
            f"{self.node_url}{API}/files/{file.file_id}",
            data=data,
            headers={
                "Content-Type": tickets.CONTENT_TYPE,
                tickets.HEADER: ticket,
                **self.sign(upload_id, ticket.encode()),
            },
            timeout=TIMEOUT,
            allow_redirects=False,
        )
        return self._answer(reply, upload_id)

    def _answer(self, reply: requests.Response, about: str) -> Ack | Nack:
        signed_id = self._verify(reply)
        envelope = Envelope.from_bytes(reply.content)
        words = envelope.content()
        known = (self.node_address, self.address, signed_id)
        if known != (envelope.sender, envelope.recipient, envelope.message_id):
            raise SynapseError(Code.SIGNATURE_INVALID)
        if not isinstance(words, Ack | Nack) or words.message_id != about:
            raise SynapseError(Code.ENVELOPE_INVALID, "The answer is to another one.")
        return words

    def _verify(self, reply: requests.Response) -> str:
        """SIGNATURE_INVALID also for what is no answer of a node at all."""
        return signing.verify(
            reply.headers, reply.content, self.secrets, now=datetime.now(UTC)
        )


def _may_pass(nack: Nack) -> bool:
    try:
        return CATALOGUE[Code(nack.error.code)].retryable
    except ValueError:
        return False


def _patience(answer: Ack | Nack | None, wait_s: float) -> float:
    asked = answer.error.retry_after if isinstance(answer, Nack) else None
    return max(wait_s, min(asked or 0, 3600))


def _as_error(envelope: Envelope) -> SynapseError:
    """What a nack says, as our own error; one that we do not know is INTERNAL."""
    words = envelope.content()
    if not isinstance(words, Nack):
        return SynapseError(Code.ENVELOPE_INVALID)
    error = words.error
    code = Code(error.code) if error.code in set(Code) else Code.INTERNAL
    return SynapseError(code, error.message, details=error.details)
