"""One try to send a claimed callback. Between transactions: nothing is written here."""

from collections.abc import Mapping
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from agents_app import outbound
from agents_app.outbound import Reply
from agents_app.protocol import signing
from tasks_app.models import Delivery
from tasks_app.secrets import vault


def send(delivery: Delivery) -> Reply:
    """POST the stored bytes (P2A 8.1, decision 37) and say what came of it.

    VaultError when the token or the secret cannot be opened.
    """
    body = delivery.body.encode()
    return outbound.post(
        delivery.url,
        body=body,
        headers=_headers(delivery, body, timezone.now()),
        allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        connect_s=settings.SYNAPSE_CALLBACK_CONNECT_SECONDS,
        total_s=settings.SYNAPSE_CALLBACK_TOTAL_SECONDS,
    )


def _headers(delivery: Delivery, body: bytes, now: datetime) -> Mapping[str, str]:
    headers = {
        "Content-Type": "application/json",
        "X-Synapse-Delivery-Attempt": str(delivery.tries),
    }
    if delivery.task and delivery.task.callback_token:
        headers["X-Callback-Token"] = vault().open(delivery.task.callback_token)
    return headers | _signed(delivery, body, now)


def _signed(delivery: Delivery, body: bytes, now: datetime) -> dict[str, str]:
    """The id is the same on every try, the timestamp never (G20)."""
    caller = delivery.task.caller if delivery.task else None
    secrets = (
        [vault().open(caller.callback_secret)]
        if caller and caller.callback_secret
        else []
    )
    headers = signing.sign(
        message_id=str(delivery.pk), timestamp=now, body=body, secrets=secrets
    )
    # Without a secret there is no signature, and an empty header would be refused.
    return {name: value for name, value in headers.items() if value}
