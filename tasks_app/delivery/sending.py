"""One try to send a claimed delivery. Between transactions: nothing is written here.

A callback goes where the caller said at submit; a message goes to the endpoint that the
peer has now, and a file beside it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import urljoin
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from agents_app import outbound
from agents_app.outbound import Reply
from agents_app.protocol import signing, tickets
from agents_app.protocol.tickets import FileTicket
from tasks_app import storage
from tasks_app.delivery.peers import secrets_of
from tasks_app.models import Delivery, DeliveryKind
from tasks_app.secrets import vault

_CALLBACK_BYTES = 4096
# An answer to a message is read whole, because it is signed.
_ANSWER_BYTES = 64 * 1024


def budget_s(delivery: Delivery) -> float:
    """How long one try may take in all, in seconds: a file has more bytes."""
    seconds: float = settings.SYNAPSE_CALLBACK_TOTAL_SECONDS
    return max(seconds, outbound.FILE_SECONDS) if _is_file(delivery) else seconds


def send(delivery: Delivery) -> Reply:
    """POST the stored bytes (P2A 8.1, decision 37) and say what came of it.

    VaultError when the token or the secret cannot be opened, FileNotFoundError for a
    file whose bytes are gone.
    """
    signed = delivery.body.encode()
    url = delivery.peer.endpoint if delivery.peer else delivery.url
    body, headers = signed, _headers(delivery, signed, timezone.now())
    if _is_file(delivery):
        ticket = FileTicket.from_text(delivery.body)
        url = urljoin(url, f"files/{ticket.file_id}")
        body = storage.path_of(UUID(ticket.file_id)).read_bytes()
        headers = {
            **headers,
            "Content-Type": tickets.CONTENT_TYPE,
            tickets.HEADER: delivery.body,
        }
    return outbound.post(
        url,
        body=body,
        headers=headers,
        allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        connect_s=settings.SYNAPSE_CALLBACK_CONNECT_SECONDS,
        total_s=budget_s(delivery),
        keep_bytes=_ANSWER_BYTES if delivery.peer else _CALLBACK_BYTES,
        party=delivery.party,
        at_once=settings.SYNAPSE_CALLBACK_PER_ENDPOINT,
    )


def _is_file(delivery: Delivery) -> bool:
    return delivery.kind == DeliveryKind.FILE


def _headers(delivery: Delivery, body: bytes, now: datetime) -> Mapping[str, str]:
    headers = {
        "Content-Type": "application/json",
        "X-Synapse-Delivery-Attempt": str(delivery.tries),
    }
    if delivery.peer is None and delivery.task and delivery.task.callback_token:
        headers["X-Callback-Token"] = vault().open(delivery.task.callback_token)
    return headers | _signed(delivery, body, now)


def _signed(delivery: Delivery, body: bytes, now: datetime) -> dict[str, str]:
    """The id is the same on every try, the timestamp never (G20)."""
    headers = signing.sign(
        message_id=str(delivery.pk),
        timestamp=now,
        body=body,
        secrets=_secrets(delivery),
    )
    # Without a secret there is no signature, and an empty header would be refused.
    return {name: value for name, value in headers.items() if value}


def _secrets(delivery: Delivery) -> Sequence[str]:
    """All that are active: while one is replaced the receiver may know either (G37)."""
    if delivery.peer:
        return secrets_of(delivery.peer)
    caller = delivery.task.caller if delivery.task else None
    if caller and caller.callback_secret:
        return [vault().open(caller.callback_secret)]
    return []
