"""What waits for a peer, and what it says of messages it got.

`p2p:ack` and `p2p:nack` come through the inbox; they count for the peer's own only.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Func, IntegerField, QuerySet
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


class StoredBytes(Func):
    """How long a text is as it is sent.

    Optimization: PostgreSQL knows it without reading the text; a number of characters
    it would have to count, in every body that waits.
    """

    function = "OCTET_LENGTH"
    output_field = IntegerField()

    # Any: as Django has it.
    def as_sqlite(self, compiler: Any, connection: Any, **_: object) -> Any:
        """Older ones have no such function."""
        template = "LENGTH(CAST(%(expressions)s AS BLOB))"
        return self.as_sql(compiler, connection, template=template)


def waiting_for(
    peer: Agent, *, after: str | None, limit: int, max_bytes: int
) -> Waiting:
    """The oldest messages that the peer has not acknowledged, or those `after` one.

    At least one if there is any, else no more than `limit` and `max_bytes` together.
    Ids rise, so that one whose message is gone is a place as well; INVALID_FIELD for an
    `after` that is no id of ours.
    """
    found = _waiting(peer).order_by("pk")
    if after is not None:
        found = found.filter(pk__gt=_place(after))
    sizes = found.annotate(size=StoredBytes("body")).values_list("pk", "size")
    chosen: list[uuid.UUID] = []
    total = 0
    candidates = list(sizes[: limit + 1])
    for pk, size in candidates[:limit]:
        total += size
        if chosen and total > max_bytes:
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
        refused = _mine(peer, message_id).select_for_update(no_key=True).first()
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


def _place(after: str) -> uuid.UUID:
    known = _as_uuid(after)
    if known is None:
        details = {"fields": {"after": "is no message_id of this node"}}
        raise SynapseError(Code.INVALID_FIELD, details=details)
    return known


def _as_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
