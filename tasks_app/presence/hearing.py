"""What peers say of themselves, and what we ask them."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol import jsontext
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import CapabilityQuery, CapabilityResponse, Heartbeat
from agents_app.schemas import check_schemas
from tasks_app import routing
from tasks_app.presence.card import own_card
from tasks_app.presence.posting import envelope_for, post_off

MAX_CARD_BYTES = 512 * 1024
MAX_TASK_TYPES = 500
# How old a card may be, and how long an answer may take before we ask again.
_STALE = timedelta(minutes=10)
_PATIENCE = timedelta(seconds=60)
_MAX_INTEGER = 2**31 - 1
_SHOWN_PROBLEM = 1000


def heard(peer: Agent, words: Heartbeat) -> None:
    """A peer is alive (A2A 2.5). Asks for its card when ours is missing or old."""
    _is_its_own(peer, words.agent_id)
    now = timezone.now()
    # Of heartbeats that come together one is told that the peer came back: the row
    # decides, since `peer` may have been read long ago.
    returned = _note(peer, words, now, _was_away(now))
    if not returned:
        _note(peer, words, now)
    _ask(peer, now, Q() if returned else _may_ask(now) & _is_stale(now))


def ask(peer: Agent) -> None:
    """Ask what it can do; one question waits at a time."""
    _ask(peer, timezone.now(), Q())


def _note(peer: Agent, words: Heartbeat, now: datetime, *when: Q) -> bool:
    row = Agent.objects.filter(*when, pk=peer.pk)
    noted = row.update(
        heartbeat_at=now,
        status=words.status,
        active=min(words.active, _MAX_INTEGER),
        capacity=min(words.capacity, _MAX_INTEGER),
    )
    return bool(noted)


def _ask(peer: Agent, now: datetime, when: Q) -> None:
    row = Agent.objects.filter(when, pk=peer.pk)
    if not row.update(capabilities_asked_at=now):
        return
    etag = (peer.capabilities or {}).get("etag")
    words = CapabilityQuery(etag=etag if isinstance(etag, str) else None)
    post_off(envelope_for(peer, words), peer, only_newest=True)


def answer_query(peer: Agent, envelope: Envelope, words: CapabilityQuery) -> None:
    """Our own types, all or those named; the whole list also to who knows its etag."""
    card = own_card()
    response = CapabilityResponse.parse(card)
    if words.task_types is not None:
        named = tuple(
            offer
            for offer in response.supported_task_types
            if offer.type in words.task_types
        )
        response = response.model_copy(update={"supported_task_types": named})
    reply = envelope_for(peer, response, in_reply_to=envelope.message_id)
    post_off(reply, peer)


def learned(peer: Agent, words: CapabilityResponse) -> None:
    """Keep the card of a peer (P2A 7.5); one that is refused leaves the old one.

    INVALID_FIELD when it is somebody else's, too long or repeats a type,
    SCHEMA_INVALID naming a type whose input schema nobody could check by.
    """
    row = Agent.objects.filter(pk=peer.pk)
    try:
        card = _checked(peer, words)
    except SynapseError as refused:
        # Not raised through a transaction: the inbox stores the nack beside it.
        row.update(capabilities_problem=_told(refused))
        raise
    row.update(
        capabilities=card, capabilities_at=timezone.now(), capabilities_problem=""
    )


def _checked(peer: Agent, words: CapabilityResponse) -> dict[str, object]:
    _is_its_own(peer, words.agent_id)
    card = words.to_json()
    _check_size(words, card)
    offers = [_with_schema(offer) for offer in card["supported_task_types"]]
    check_schemas(
        (
            (str(offer["type"]), offer["input_schema_object"])
            for offer in offers
            if offer["input_schema_object"] is not None
        ),
        about="task_type",
    )
    return card | {"supported_task_types": offers}


def _told(refused: SynapseError) -> str:
    details = jsontext.dumps(refused.details).decode()
    return f"{refused} {details}"[:_SHOWN_PROBLEM]


def _is_its_own(peer: Agent, agent_id: str) -> None:
    if agent_id != peer.id:
        raise _invalid("agent_id", f"must be {peer.id}")


def _was_away(now: datetime) -> Q:
    silent = Q(heartbeat_at__lte=now - routing.patience())
    return silent | Q(heartbeat_at=None)


def _may_ask(now: datetime) -> Q:
    unanswered = Q(capabilities_asked_at__lte=now - _PATIENCE)
    return unanswered | Q(capabilities_asked_at=None)


def _is_stale(now: datetime) -> Q:
    return Q(capabilities_at__lte=now - _STALE) | Q(capabilities_at=None)


def _check_size(words: CapabilityResponse, card: Mapping[str, object]) -> None:
    names = [offer.type for offer in words.supported_task_types]
    field = "supported_task_types"
    if len(names) > MAX_TASK_TYPES:
        raise _invalid(field, f"at most {MAX_TASK_TYPES} task types")
    if len(set(names)) < len(names):
        raise _invalid(field, "a task type is there twice")
    if any(len(name) > 100 for name in names):
        raise _invalid(field, "a task type has at most 100 characters")
    if len(jsontext.dumps(card)) > MAX_CARD_BYTES:
        raise _invalid(field, f"at most {MAX_CARD_BYTES} bytes in all")
    jsontext.check_storable(card, "payload")


def _with_schema(offer: dict[str, object]) -> dict[str, object]:
    """The object twin of the seed's schema text, by which payloads are checked."""
    schema = offer.get("input_schema_object")
    if schema is None and offer.get("input_schema"):
        try:
            schema = jsontext.loads(str(offer["input_schema"]))
        except SynapseError as broken:
            details = {"task_type": str(offer["type"]), "problem": broken.message}
            raise SynapseError(Code.SCHEMA_INVALID, details=details) from broken
    return offer | {"input_schema_object": schema}


def _invalid(field: str, text: str) -> SynapseError:
    return SynapseError(Code.INVALID_FIELD, details={"fields": {field: text}})
