"""What came of one request: the value `post` hands back to callbacks and A2A."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPResponse, IncompleteRead

from agents_app.outbound.trouble import EXPECTED, Trouble, trouble_of

# What tells an A2A answer and its signature apart; nothing else is worth keeping.
KEPT_HEADERS = ("content-type", "webhook-id", "webhook-timestamp", "webhook-signature")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The outcome of one request. Both `status` and `error` are set when the answer
    broke off after its headers.

    `body` holds the first bytes only, undecoded. `retry_after` is in whole seconds.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    retry_after: int | None = None
    body: bytes = b""
    elapsed_ms: int = 0
    error: Trouble | None = None

    @property
    def ok(self) -> bool:
        """Delivered: a whole answer with 2xx. A redirect is a failure (G26)."""
        return (
            self.error is None and self.status is not None and self.status // 100 == 2
        )


def read_reply(response: HTTPResponse, keep_bytes: int) -> Reply:
    """Read an answer whose headers have arrived, and of its body what is kept."""
    body, trouble = _read_body(response, keep_bytes)
    kept = {name: response.headers.get(name) for name in KEPT_HEADERS}
    return Reply(
        status=response.status,
        headers={name: value for name, value in kept.items() if value is not None},
        retry_after=read_retry_after(
            response.headers.get("retry-after"), now=datetime.now(UTC)
        ),
        body=body,
        error=trouble,
    )


def _read_body(response: HTTPResponse, keep_bytes: int) -> tuple[bytes, Trouble | None]:
    """As received, never decompressed, no further than what is kept."""
    kept = bytearray()
    try:
        while len(kept) < keep_bytes and (
            part := response.read1(keep_bytes - len(kept))
        ):
            kept += part
        if len(kept) < keep_bytes and response.length:
            raise IncompleteRead(b"", response.length)
    except EXPECTED as error:
        return bytes(kept), trouble_of(error)
    return bytes(kept), None


def read_retry_after(text: str | None, *, now: datetime) -> int | None:
    """Seconds from now, in either form RFC 9110 10.2.3 allows; None if unreadable."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return int(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:  # "-0000" says UTC without saying where.
        moment = moment.replace(tzinfo=UTC)
    return max(0, round((moment - now).total_seconds()))
