"""Links to files in messages for peers: absolute, signed, and good for seven days.

    lifecycle, runner → link → the peer → GET a2a/files/{id} → check

Who holds a link may read that one file, so it travels in signed messages only. The key
comes from SECRET_KEY: a new one ends all links.
"""

import re
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from agents_app.models import Agent
from agents_app.protocol.addresses import split_address
from agents_app.protocol.errors import Code, SynapseError

LIFETIME = timedelta(days=7)
_SALT = "synapse.filelinks"
_SECONDS = re.compile(r"[0-9]{1,12}")


def link(file_id: uuid.UUID, now: datetime) -> str | None:
    """Where a peer fetches the file; None when nobody told us our public address."""
    base = settings.SYNAPSE_PUBLIC_URL.rstrip("/")
    if not base:
        return None
    expires = str(int((now + LIFETIME).timestamp()))
    path = f"/api/v1/synapse/a2a/files/{file_id}"
    return f"{base}{path}?expires={expires}&signature={_sign(str(file_id), expires)}"


def link_for(address: str, file_id: uuid.UUID, now: datetime) -> str | None:
    """The link for this agent; None too when it cannot call us.

    A file without a link is brought to it: `outbox`.
    """
    _, peer_id = split_address(address)
    if Agent.objects.filter(pk=peer_id, fetch=True).exists():
        return None
    return link(file_id, now)


def check(file_id: str, *, expires: str, signature: str, now: datetime) -> None:
    """FORBIDDEN, without saying why, unless we made this link and it still counts."""
    right = constant_time_compare(signature, _sign(file_id, expires))
    if not (right and _SECONDS.fullmatch(expires) and int(expires) >= now.timestamp()):
        raise SynapseError(Code.FORBIDDEN)


def _sign(file_id: str, expires: str) -> str:
    value = f"{file_id}:{expires}"
    return salted_hmac(_SALT, value, algorithm="sha256").hexdigest()
