"""One page of the mailbox that a peer keeps for us, signed both ways."""

import hashlib
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.utils import timezone

from agents_app import outbound
from agents_app.models import Agent
from agents_app.outbound import Reply
from agents_app.protocol import ids, jsontext, signing
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.storable import MAX_DEPTH
from tasks_app import delivery, lifecycle

SENDER_HEADER = "x-synapse-agent"
GET_SECONDS = 8.0
_ENVELOPE_BYTES = 64 * 1024
# A character of a page is up to four bytes.
_WIDEST = 4
# What a page may hold at most (docs/protocol.md, mailbox).
MAX_MESSAGES = 100


class Unreachable(Exception):
    """The peer gave no answer, or not with 200."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Whatever the peer signed as messages; `next` continues, None at the end."""

    messages: list[object]
    next: str | None


def read(peer: Agent, after: str | None) -> Page:
    """Ask for a page. Raises Unreachable, and SynapseError for what is no page.

    SIGNATURE_INVALID also when the peer did not sign it for this very request.
    """
    request_id = f"{_mark()}{ids.new_message_id()}"
    secrets = delivery.secrets_of(peer)
    signed = signing.sign(
        message_id=request_id, timestamp=timezone.now(), body=b"", secrets=secrets
    )
    reply = _get(peer, after, signed)
    if not reply.ok:
        raise Unreachable(reply.error or reply.status)
    answered = signing.verify(reply.headers, reply.body, secrets, now=timezone.now())
    if answered != request_id:
        raise SynapseError(Code.SIGNATURE_INVALID)
    return _page(reply.body)


def is_ours(request_id: str) -> bool:
    """Whether we signed a GET of this id: then nobody may bring it back to us.

    Both sides sign with the same secret, and a GET has no body to say who is who.
    """
    return request_id.startswith(_mark())


def _mark() -> str:
    node = lifecycle.policy().node
    return f"get-{hashlib.sha256(node.encode()).hexdigest()[:16]}-"


def _get(peer: Agent, after: str | None, signed: dict[str, str]) -> Reply:
    return outbound.get(
        _page_url(peer.endpoint, after),
        headers={**signed, SENDER_HEADER: lifecycle.policy().node},
        allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        connect_s=min(settings.SYNAPSE_CALLBACK_CONNECT_SECONDS, GET_SECONDS),
        total_s=GET_SECONDS,
        keep_bytes=_WIDEST * _page_chars(),
        party=peer.address,
        at_once=settings.SYNAPSE_CALLBACK_PER_ENDPOINT,
    )


def _page_chars() -> int:
    chars: int = settings.SYNAPSE_MAX_BODY_SIZE + _ENVELOPE_BYTES
    return chars


def _page_url(endpoint: str, after: str | None) -> str:
    if after is None:
        return endpoint
    mark = "&" if "?" in endpoint else "?"
    return f"{endpoint}{mark}{urlencode({'after': after})}"


def _page(body: bytes) -> Page:
    # Each envelope lies two levels down, and may be as deep as one that was posted. A
    # value takes two characters: a page that is no longer than it may be has no more.
    most = _page_chars() // 2
    value = jsontext.loads(body, max_depth=MAX_DEPTH + 2, max_values=most)
    fields = value if isinstance(value, dict) else {}
    messages, following = fields.get("messages"), fields.get("next")
    if not isinstance(messages, list) or not isinstance(following, str | None):
        raise SynapseError(Code.ENVELOPE_INVALID, "This is no page of a mailbox.")
    if len(messages) > MAX_MESSAGES:
        details = {"max_messages": MAX_MESSAGES}
        raise SynapseError(
            Code.ENVELOPE_INVALID, "The page is too long.", details=details
        )
    return Page(messages=messages, next=following)
