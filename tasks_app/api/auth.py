"""Who calls: the API key of a request, and the caller that owns it (P2A 5.1).

The key comes in the header `X-API-Key` or, unless that is switched off, in the query
as `api_key`. It is never logged, and every refusal reads and takes the same (G54).
"""

import re
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import callers
from tasks_app.changes import caller_address
from tasks_app.models import CallerKey

QUERY_PARAMETER = "api_key"
_HEADER = "HTTP_X_API_KEY"
_PREFIX_LENGTH = 8

_PLAUSIBLE = re.compile(r"[!-~]{1,300}")
_generator = CallerKey.objects.key_generator
# Checked when there is no such key, so that an unknown one costs the same.
_NOBODY = _generator.hash("nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The caller behind a request."""

    caller_id: uuid.UUID

    @property
    def address(self) -> str:
        """`caller:<id>`."""
        return caller_address(self.caller_id)


class CallerAuthentication(BaseAuthentication):
    """DRF's hook. It answers or raises, so no view is open by mistake."""

    def authenticate(self, request: Request) -> tuple[Principal, None]:
        """Raises KEY_MISSING, KEY_INVALID, KEY_MISMATCH."""
        return identify(request), None


def identify(request: Request) -> Principal:
    """The caller of this request; see `CallerAuthentication.authenticate`."""
    try:
        return Principal(caller_id=_owner(_one_of(_sent(request))))
    except SynapseError:
        if settings.SYNAPSE_REQUIRE_API_KEY or not callers.no_key_ever():
            raise
    everybody = callers.anonymous()
    if not everybody.enabled:
        raise SynapseError(Code.KEY_MISSING)
    return Principal(caller_id=everybody.pk)


def _sent(request: Request) -> list[str]:
    """Every key in the request: none, one, or one in each place.

    A parameter that comes twice counts as a key that fits nobody; a header that does
    reaches us joined by commas, which is no key either.
    """
    header = request.META.get(_HEADER)
    sent = [] if header is None else [str(header)]
    if settings.SYNAPSE_ALLOW_QUERY_API_KEY and request.META.get("QUERY_STRING"):
        in_query = request.query_params.getlist(QUERY_PARAMETER)
        sent += in_query if len(in_query) < 2 else [""]
    return sent


def _one_of(keys: list[str]) -> str:
    if not keys:
        raise SynapseError(Code.KEY_MISSING)
    if len(set(keys)) > 1:
        raise SynapseError(Code.KEY_MISMATCH)
    return keys[0]


def _owner(key: str) -> uuid.UUID:
    """The enabled caller of a live key, found with one SELECT; else KEY_INVALID."""
    if not _PLAUSIBLE.fullmatch(key):
        raise SynapseError(Code.KEY_INVALID)
    found = (
        CallerKey.objects.filter(prefix=key[:_PREFIX_LENGTH])
        .values_list(
            "hashed_key", "revoked", "expiry_date", "caller_id", "caller__enabled"
        )
        .first()
    )
    hashed, revoked, expires_at, caller_id, enabled = found or (
        _NOBODY,
        True,
        None,
        uuid.UUID(int=0),
        False,
    )
    fits = _generator.verify(key, hashed)
    if not (fits and enabled) or revoked or _expired(expires_at):
        raise SynapseError(Code.KEY_INVALID)
    return caller_id


def _expired(expires_at: datetime | None) -> bool:
    return expires_at is not None and expires_at <= timezone.now()
