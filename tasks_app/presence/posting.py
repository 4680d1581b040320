"""Messages about no task: an envelope, and the row from which it is sent."""

import uuid
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol import ids
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.payloads import Payload
from tasks_app import lifecycle, queue
from tasks_app.delivery.due import unleased
from tasks_app.models import Delivery, DeliveryKind, DeliveryState


def envelope_for(
    peer: Agent, words: Payload, *, in_reply_to: str | None = None
) -> Envelope:
    """The words under a fresh id, from this node to the peer."""
    return Envelope.carrying(
        words,
        message_id=ids.new_message_id(),
        sender=lifecycle.policy().node,
        recipient=peer.address,
        timestamp=timezone.now(),
        in_reply_to=in_reply_to,
    )


def post_off(envelope: Envelope, peer: Agent, *, only_newest: bool = False) -> None:
    """Put it into the outbox: sent by the courier, or fetched from the mailbox.

    `only_newest`: an older one of its type that still waits is worth nothing now.
    """
    with transaction.atomic():
        if only_newest:
            now = envelope.timestamp
            _drop(peer, envelope.type, now, state=DeliveryState.WAITING)
        Delivery.objects.create(
            id=uuid.UUID(envelope.message_id),
            kind=DeliveryKind.MESSAGE,
            peer=peer,
            sequence=0,
            event=envelope.type,
            terminal=False,
            party=peer.address,
            url="",
            endpoint=peer.address,
            body=envelope.to_bytes().decode(),
            created_at=envelope.timestamp,
            next_try_at=envelope.timestamp if peer.endpoint else None,
        )
        if peer.endpoint:
            queue.ring_courier()


def forget(peer: Agent, event: str) -> None:
    """Drop what was fetched of a type that nobody will ever look up."""
    _drop(peer, event, timezone.now())


def _drop(peer: Agent, event: str, now: datetime, **state: str) -> None:
    """Not what is being sent, or answered: that still gets a try written beside it."""
    idle = Delivery.objects.filter(
        unleased(now), peer=peer, task=None, event=event, **state
    )
    with transaction.atomic():
        # Locked first: who deletes has looked before, and a courier may claim it then.
        mine = idle.select_for_update(skip_locked=True).values_list("pk", flat=True)
        Delivery.objects.filter(pk__in=list(mine)).delete()
