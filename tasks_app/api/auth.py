"""Who calls: the API key of a request, and the caller that owns it (P2A 5.1).

The key comes in the header `X-API-Key` or, unless that is switched off, in the query
as `api_key`. It is never logged, and every refusal reads and takes the same (G54).

    identify   the key's row, read now: for everything but a submit
    presume    whose the key was when it was read last; the insert of the task looks at
               the row, so that a submit is one round trip to the database
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
from tasks_app.api.select import Row, Select
from tasks_app.changes import caller_address
from tasks_app.ledger import ApiKey
from tasks_app.models import CallerKey

QUERY_PARAMETER = "api_key"
_HEADER = "HTTP_X_API_KEY"
_PREFIX_LENGTH = 8

_PLAUSIBLE = re.compile(r"[!-~]{1,300}")
_generator = CallerKey.objects.key_generator
_KEY = Select(
    columns={
        "hashed_key": "text",
        "revoked": "bool",
        "expiry_date": "time",
        "caller_id": "uuid",
        "enabled": "bool",
    },
    sql=(
        "SELECT k.hashed_key, k.revoked, k.expiry_date, k.caller_id, c.enabled "
        "FROM tasks_app_callerkey k JOIN tasks_app_caller c ON c.id = k.caller_id "
        "WHERE k.prefix = %s"
    ),
)
# Checked when there is no such key, so that an unknown one costs the same.
_NOBODY = _generator.hash("nobody")
# By hash, so that no key lies in memory. Emptied when it is full.
_presumed: "dict[str, Principal]" = {}
_MOST_PRESUMED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The caller behind a request."""

    caller_id: uuid.UUID
    # Not looked up yet: good for what is written only while this key is (`presume`).
    presumed_by: ApiKey | None = None

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


def presume(request: Request) -> Principal | None:
    """Whose key this was when it was read last; None when this process never did.

    Nothing may be told or written on its word alone: see `presumed_by`.
    """
    key = request.META.get(_HEADER)
    if key is None or request.META.get("QUERY_STRING"):
        return None
    return _presumed.get(_hash(key))


def _remember(key: str, found: Row) -> None:
    hashed = _hash(key)
    if hashed == found["hashed_key"]:  # Else by an older hasher.
        if len(_presumed) >= _MOST_PRESUMED:
            _presumed.clear()
        by = ApiKey(key[:_PREFIX_LENGTH], hashed)
        _presumed[hashed] = Principal(caller_id=found["caller_id"], presumed_by=by)


def _hash(key: str) -> str:
    return _generator.preferred_hasher.encode(key, "")


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
    found = _KEY.first(key[:_PREFIX_LENGTH])
    fits = _generator.verify(key, found["hashed_key"] if found else _NOBODY)
    if not found or not fits or found["revoked"] or not found["enabled"]:
        raise SynapseError(Code.KEY_INVALID)
    if _expired(found["expiry_date"]):
        raise SynapseError(Code.KEY_INVALID)
    _remember(key, found)
    caller_id: uuid.UUID = found["caller_id"]
    return caller_id


def _expired(expires_at: datetime | None) -> bool:
    return expires_at is not None and expires_at <= timezone.now()
