"""What waits for a peer, and what it says of messages it got.

`p2p:ack` and `p2p:nack` come through the inbox; they count for the peer's own only.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import ErrorObject
from tasks_app.delivery.advancing import advance_later
from tasks_app.delivery.due import queue_of
from tasks_app.delivery.giving_up import on_dead
from tasks_app.delivery.hearing import may_succeed
from tasks_app.models import (
    Delivery,
    DeliveryAttempt,
    DeliveryKind,
    DeliveryState,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Envelopes as they were written; `next` is the last id if more follow."""

    bodies: tuple[str, ...]
    next: str | None


def waiting_for(
    peer: Agent, *, after: str | None, limit: int, max_chars: int
) -> Waiting:
    """The oldest messages that the peer has not acknowledged, or those `after` one.

    At least one if there is any, else no more than `limit` and `max_chars` together.
    INVALID_FIELD for an `after` that never was a message to this peer.
    """
    found = _waiting(peer).order_by("created_at", "pk")
    if after is not None:
        found = found.filter(_later_than(peer, after))
    sizes = found.annotate(size=Length("body")).values_list("pk", "size")
    chosen: list[uuid.UUID] = []
    chars = 0
    candidates = list(sizes[: limit + 1])
    for pk, size in candidates[:limit]:
        chars += size
        if chosen and chars > max_chars:
            break
        chosen.append(pk)
    bodies = found.filter(pk__in=chosen).values_list("body", flat=True)
    more = len(candidates) > len(chosen)
    return Waiting(bodies=tuple(bodies), next=str(chosen[-1]) if more else None)


def acknowledge(peer: Agent, message_id: str) -> None:
    """The peer has stored it: it leaves the mailbox. Others' are left alone (G33)."""
    stored = _mine(peer, message_id).only("task_id", "kind", "peer_id").first()
    if stored is None:
        return
    _mine(peer, message_id).update(
        state=DeliveryState.DELIVERED,
        next_try_at=None,
        leased_until=None,
        ended_at=timezone.now(),
    )
    advance_later(queue_of(stored))


def refuse(peer: Agent, message_id: str, error: ErrorObject) -> None:
    """The peer will not have it: dead, or left in the mailbox if it may have it later.

    Later counts as often as the schedule of the courier has tries.
    """
    now = timezone.now()
    with transaction.atomic():
        refused = _mine(peer, message_id).select_for_update().first()
        if refused is None:
            return
        number = refused.tries + 1
        left = len(settings.SYNAPSE_CALLBACK_SCHEDULE) + refused.schedule_from
        if may_succeed(error) and number < left:
            _mine(peer, message_id).update(tries=number)
        else:
            _end(refused, number, now)
        DeliveryAttempt.objects.create(
            delivery=refused,
            number=number,
            started_at=now,
            elapsed_ms=0,
            error=f"nack {error.code}",
            response=error.message[:4096],
        )
    if refused.state == DeliveryState.DEAD:
        advance_later(queue_of(refused))
        on_dead(refused)


def _end(refused: Delivery, number: int, now: datetime) -> None:
    refused.state = DeliveryState.DEAD
    refused.tries = number
    refused.next_try_at = None
    refused.leased_until = None
    refused.ended_at = now
    refused.save(
        update_fields=["state", "tries", "next_try_at", "leased_until", "ended_at"]
    )


def _waiting(peer: Agent) -> QuerySet[Delivery]:
    return Delivery.objects.filter(
        peer=peer, kind=DeliveryKind.MESSAGE, state=DeliveryState.WAITING
    )


def _mine(peer: Agent, message_id: str) -> QuerySet[Delivery]:
    """The message of this id, if it waits for this peer."""
    known = _as_uuid(message_id)
    return _waiting(peer).filter(pk=known) if known else Delivery.objects.none()


def _later_than(peer: Agent, after: str) -> Q:
    known = _as_uuid(after)
    mark = Delivery.objects.filter(pk=known, peer=peer).first() if known else None
    if mark is None:
        details = {"fields": {"after": "not a message to you"}}
        raise SynapseError(Code.INVALID_FIELD, details=details)
    same = Q(created_at=mark.created_at, pk__gt=mark.pk)
    return Q(created_at__gt=mark.created_at) | same


def _as_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
