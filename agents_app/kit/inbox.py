"""What comes to our own endpoint: verified, taken once, answered under signature.

    Endpoint → Inbox.receive (bytes in, bytes out) → hear (the agent)

Remembers in memory: the same bytes under the same id get the same answer again, other
bytes are refused (docs/protocol.md, "Receiving").
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from agents_app.kit.link import Link
from agents_app.protocol import signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import CATALOGUE, Code, SynapseError
from agents_app.protocol.payloads import Ack, ErrorObject, Nack

MEMORY = 10_000

# Raises SynapseError when the message has no effect.
Hear = Callable[[Envelope], None]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One HTTP answer."""

    status: int
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Inbox:
    """Hands each verified envelope of the node to `hear`, once."""

    link: Link
    hear: Hear
    _known: OrderedDict[str, tuple[str, Envelope, int]] = field(
        default_factory=OrderedDict
    )
    # One at a time: a repeat that comes too early waits for the first.
    _one: threading.Lock = field(default_factory=threading.Lock)

    def receive(self, headers: Mapping[str, str], raw: bytes) -> Answer:
        """The signed ack or nack; unsigned for whoever is not the node."""
        try:
            message_id = signing.verify(
                headers, raw, self.link.secrets, now=datetime.now(UTC)
            )
        except SynapseError as refused:
            reply, status = self._nack(refused, ""), refused.spec.http_status
            return Answer(status=status, body=reply.to_bytes(), headers={})
        with self._one:
            reply, status = self._taken(message_id, raw)
        body = reply.to_bytes()
        signed = self.link.sign(reply.message_id, body)
        return Answer(status=status, body=body, headers=signed)

    def _taken(self, message_id: str, raw: bytes) -> tuple[Envelope, int]:
        digest = hashlib.sha256(raw).hexdigest()
        if message_id in self._known:
            before, reply, status = self._known[message_id]
            if before == digest:
                return reply, status
            return self._refusal(SynapseError(Code.MESSAGE_ID_REUSED), message_id)
        try:
            self.hear(self._envelope(message_id, raw))
        except SynapseError as refused:
            reply, status = self._refusal(refused, message_id)
            if refused.spec.retryable:
                return reply, status  # Forgotten: it may succeed later.
        else:
            reply, status = self._reply(Ack(message_id=message_id), message_id), 200
        self._known[message_id] = digest, reply, status
        if len(self._known) > MEMORY:
            self._known.popitem(last=False)
        return reply, status

    def _envelope(self, message_id: str, raw: bytes) -> Envelope:
        envelope = Envelope.from_bytes(raw)
        known = (self.link.node_address, message_id)
        if known != (envelope.sender, envelope.message_id):
            raise SynapseError(Code.SIGNATURE_INVALID)
        if envelope.recipient != self.link.address:
            raise SynapseError(
                Code.ENVELOPE_INVALID, "The message is for somebody else."
            )
        return envelope

    def _refusal(self, error: SynapseError, about: str) -> tuple[Envelope, int]:
        return self._nack(error, about), CATALOGUE[error.code].http_status

    def _nack(self, error: SynapseError, about: str) -> Envelope:
        words = Nack(message_id=about, error=ErrorObject.of(error))
        return self._reply(words, about)

    def _reply(self, words: Ack | Nack, about: str) -> Envelope:
        return self.link.envelope(words, in_reply_to=about or None)
