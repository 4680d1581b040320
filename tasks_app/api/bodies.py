"""Reading request bodies: the right type, within the limit, and whole.

Not DRF's parsers: those take a body without Content-Length, as chunked ones are, for
an empty one.
"""

from typing import Protocol

from django.conf import settings
from rest_framework.request import Request

from agents_app.protocol import jsontext
from agents_app.protocol.errors import Code, SynapseError

JSON = "application/json"
_PIECE = 64 * 1024
# From the web edge, when it asks again with the body that was wanted (decision 0002).
_ASKED_BEFORE = "edge.asked_before"


class Readable(Protocol):
    """A WSGI input or a Django request."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; none at the end."""


class Body:
    """The bytes of a request, never more than a limit.

    BODY_TOO_LARGE before anything is read when the announced length says so, else as
    soon as too much has come.
    """

    def __init__(self, request: Request, limit: int) -> None:
        self._limit = limit
        self._taken = 0
        self._announced = _announced(request)
        if self._announced is not None and self._announced > limit:
            raise self._too_large()
        # Django shows a body without a length as empty; the server knows its end.
        raw: Readable = request.META["wsgi.input"]
        self._source = raw if self._announced is None else request._request

    def read(self, size: int, /) -> bytes:
        """As a file does."""
        piece = self._source.read(min(size, self._limit + 1 - self._taken))
        self._taken += len(piece)
        if self._taken > self._limit:
            raise self._too_large()
        return piece

    def read_all(self) -> bytes:
        """Everything. INVALID_FIELD when the client left in the middle."""
        pieces = []
        while piece := self.read(_PIECE):
            pieces.append(piece)
        self.check_whole()
        return b"".join(pieces)

    def check_whole(self) -> None:
        """INVALID_FIELD when less came than was announced."""
        if self._announced is not None and self._taken < self._announced:
            raise SynapseError(Code.INVALID_FIELD, "The body ended too early.")

    def _too_large(self) -> SynapseError:
        return SynapseError(Code.BODY_TOO_LARGE, details={"max_bytes": self._limit})


def json_object(request: Request) -> dict[str, object]:
    """The JSON object that a request carries.

    UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, MALFORMED_JSON, UNSTORABLE_VALUE, and
    INVALID_FIELD for JSON that is no object.
    """
    require_type(request, JSON)
    return as_object(Body(request, settings.SYNAPSE_MAX_BODY_SIZE).read_all(), "body")


def json_object_or_nothing(request: Request) -> dict[str, object]:
    """The same where a body is optional: nothing counts as `{}`, whatever its type."""
    raw = Body(request, settings.SYNAPSE_MAX_BODY_SIZE).read_all()
    if not raw:
        return {}
    require_type(request, JSON)
    return as_object(raw, "body")


def as_object(text: bytes | str, what: str) -> dict[str, object]:
    """JSON text as an object, read strictly."""
    value = jsontext.loads(text)
    if not isinstance(value, dict):
        raise SynapseError(
            Code.INVALID_FIELD,
            f"The {what} must be a JSON object.",
            details={"fields": {what: "must be a JSON object"}},
        )
    return value


def require_type(request: Request, wanted: str) -> None:
    """UNSUPPORTED_MEDIA_TYPE unless the body is plainly of this type.

    A compressed body is refused too: nothing that comes in is unpacked (G57).
    """
    plain = request._request
    charset = (plain.content_params or {}).get("charset", "utf-8")
    coding = request.META.get("HTTP_CONTENT_ENCODING", "identity")
    fits = plain.content_type == wanted and charset.lower() in ("utf-8", "utf8")
    if not fits or coding.lower() != "identity":
        raise SynapseError(Code.UNSUPPORTED_MEDIA_TYPE, details={"supported": [wanted]})


def was_asked_for(request: Request) -> bool:
    """Whether this is the second time, now with the body that the first one wanted.

    What counts requests before it reads counted this one then.
    """
    return _ASKED_BEFORE in request.META


def _announced(request: Request) -> int | None:
    """The Content-Length; None when the body ends where the server says it does."""
    text = str(request.META.get("CONTENT_LENGTH") or "")
    if text.isascii() and text.isdigit():
        return int(text[:18])
    ends = "HTTP_TRANSFER_ENCODING" in request.META
    return None if ends or request.META.get("wsgi.input_terminated") else 0
