"""Each envelope once: remembered by sender and id, with the answer it got."""

import hashlib
from dataclasses import dataclass

from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from tasks_app import lifecycle
from tasks_app.collisions import once_more
from tasks_app.inbox import applying, bounds
from tasks_app.inbox.replies import ack_of, nack_of
from tasks_app.models import Received


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The body to sign and send back; `error` says why it is a nack."""

    body: bytes
    code: Code | None

    @property
    def message_id(self) -> str:
        """Of the ack or nack itself; it is signed under this id."""
        return Envelope.from_bytes(self.body).message_id


def receive(peer: Agent, envelope: Envelope, raw: bytes) -> Answer:
    """Apply an envelope whose signature was verified; the answer, an old one if known.

    Never raises SynapseError: what cannot be applied is a nack.
    """
    digest = hashlib.sha256(raw).hexdigest()
    try:
        return once_more(lambda: _receive(peer, envelope, digest, len(raw)))
    except IntegrityError:
        # The same id came twice at the same moment; the other one is written by now.
        answer = _remembered(envelope, digest)
        if answer is None:
            raise
        return answer
    except (DataError, OverflowError):
        # Valid JSON, but too much for its column.
        error = SynapseError(Code.UNSTORABLE_VALUE)
        return _answer(_nack(envelope, error), error.code)


def _receive(peer: Agent, envelope: Envelope, digest: str, size: int) -> Answer:
    with transaction.atomic():
        known = _remembered(envelope, digest)
        return known or _apply(peer, envelope, digest, size)


def _remembered(envelope: Envelope, digest: str) -> Answer | None:
    known = Received.objects.filter(
        sender=envelope.sender, message_id=envelope.message_id
    ).first()
    if known is None:
        return None
    if known.sha256 != digest:
        error = SynapseError(Code.MESSAGE_ID_REUSED)
        return _answer(_nack(envelope, error), error.code)
    code = None if known.code is None else Code(known.code)
    return Answer(body=known.reply.encode(), code=code)


def _apply(peer: Agent, envelope: Envelope, digest: str, size: int) -> Answer:
    try:
        _check_recipient(envelope)
        bounds.check_size(envelope.type, size)
        applying.apply(peer, envelope)
    except SynapseError as error:
        answer = _answer(_nack(envelope, error), error.code)
        if error.spec.retryable:
            return answer  # Forgotten: the same message may succeed later.
    else:
        answer = _answer(ack_of(envelope), None)
    Received.objects.create(
        sender=envelope.sender,
        message_id=envelope.message_id,
        sha256=digest,
        reply=answer.body.decode(),
        code=answer.code,
        created_at=timezone.now(),
    )
    return answer


def _check_recipient(envelope: Envelope) -> None:
    node = lifecycle.policy().node
    if envelope.recipient != node:
        raise SynapseError(
            Code.ENVELOPE_INVALID,
            "The message is for somebody else.",
            details={"recipient": envelope.recipient, "node": node},
        )


def _nack(envelope: Envelope, error: SynapseError) -> Envelope:
    return nack_of(error, recipient=envelope.sender, message_id=envelope.message_id)


def _answer(reply: Envelope, code: Code | None) -> Answer:
    return Answer(body=reply.to_bytes(), code=code)
