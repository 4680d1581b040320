"""GET messages: what waits for a peer, exactly as it would have been sent."""

from collections.abc import Mapping

from django.conf import settings

from agents_app.models import Agent
from agents_app.protocol import jsontext
from agents_app.protocol.errors import Code, SynapseError
from tasks_app import delivery

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
_PARAMETERS = ("after", "limit")


def page(peer: Agent, query: Mapping[str, str]) -> bytes:
    """`{success, messages, next}`, oldest first; `next` continues, null at the end.

    Messages stay until they are acknowledged, so a peer begins without `after`. Never
    much more than SYNAPSE_MAX_BODY_SIZE, but always one message if there is any.
    UNKNOWN_PARAMETER, INVALID_FIELD.
    """
    unknown = sorted(set(query) - set(_PARAMETERS))
    if unknown:
        details = {"unknown": unknown, "supported": list(_PARAMETERS)}
        raise SynapseError(Code.UNKNOWN_PARAMETER, details=details)
    waiting = delivery.waiting_for(
        peer,
        after=query.get("after"),
        limit=_limit(query.get("limit")),
        max_bytes=settings.SYNAPSE_MAX_BODY_SIZE,
    )
    # Joined as text: an envelope that is parsed and written again is another one.
    messages = ",".join(waiting.bodies)
    following = jsontext.dumps(waiting.next).decode()
    text = f'{{"success":true,"messages":[{messages}],"next":{following}}}'
    return text.encode()


def _limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_LIMIT
    if not (text.isascii() and text.isdigit() and int(text[:9])):
        details = {"fields": {"limit": "must be a positive integer"}}
        raise SynapseError(Code.INVALID_FIELD, details=details)
    return min(int(text[:9]), MAX_LIMIT)
