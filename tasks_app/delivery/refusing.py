"""The refusal that ended a delivery: read from its last try, told to its task."""

import re
from dataclasses import dataclass

from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Nack
from tasks_app.models import Delivery

_NACK = re.compile(r"nack ([0-9]{1,9})")
_MAX_MESSAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Code and text of the peer's nack; the code may be none that we know."""

    code: int
    message: str


def refusal_of(delivery: Delivery) -> Refusal | None:
    """None when the last try had no signed answer at all."""
    last = delivery.attempts.order_by("-number").first()
    found = _NACK.fullmatch(last.error) if last else None
    if last is None or found is None:
        return None
    message = _message_in(last.response)[:_MAX_MESSAGE]
    return Refusal(code=int(found[1]), message=message)


def delivery_failed(
    event: str, refusal: Refusal | None, **details: object
) -> SynapseError:
    """DELIVERY_FAILED for a task that cannot do without this message, and why."""
    details = {"type": event, **details}
    if refusal is not None:
        details["refused"] = {"code": refusal.code, "message": refusal.message}
    return SynapseError(Code.DELIVERY_FAILED, details=details)


def _message_in(response: str) -> str:
    """A nack by mailbox was kept as its text, one to a POST as the whole envelope.

    One that was too long to be kept whole says nothing.
    """
    try:
        words = Envelope.from_bytes(response.encode()).content()
    except SynapseError:
        return "" if response.startswith("{") else response
    return words.error.message if isinstance(words, Nack) else ""
