"""Signatures over the exact bytes of a body (Standard Webhooks; decision 2).

One scheme serves A2A messages and P2A callbacks. The published package computes the
MAC; its own `verify` is not used because it reads the system clock and lets malformed
headers escape as foreign exceptions.
"""

import base64
import binascii
import hmac
import re
import secrets as randomness
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from standardwebhooks import Webhook

from agents_app.protocol.errors import Code, SynapseError

ID_HEADER = "webhook-id"
TIMESTAMP_HEADER = "webhook-timestamp"
SIGNATURE_HEADER = "webhook-signature"
TOLERANCE_S = 300

_SECRET_PREFIX = "whsec_"  # noqa: S105 - the public prefix, not a secret.
_MESSAGE_ID = re.compile(r"[!-~]{1,128}")
_SECONDS = re.compile(r"[0-9]{1,15}")


def new_secret() -> str:
    """A fresh shared secret of 32 random bytes, as text."""
    return _SECRET_PREFIX + base64.b64encode(randomness.token_bytes(32)).decode()


def check_secret(secret: str) -> None:
    """INVALID_FIELD unless this is `whsec_` and the base64 of 24 to 64 bytes."""
    encoded = secret.removeprefix(_SECRET_PREFIX)
    try:
        size = len(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        size = 0
    if encoded == secret or not 24 <= size <= 64:
        text = "a secret is whsec_ and the base64 of 24 to 64 bytes"
        raise SynapseError(Code.INVALID_FIELD, details={"fields": {"secret": text}})


def sign(
    *, message_id: str, timestamp: datetime, body: bytes, secrets: Sequence[str]
) -> dict[str, str]:
    """The three headers for `body`, UTF-8 text; one signature per active secret."""
    signatures = _signatures(message_id, timestamp, body.decode(), secrets)
    return {
        ID_HEADER: message_id,
        TIMESTAMP_HEADER: str(int(timestamp.timestamp())),
        SIGNATURE_HEADER: " ".join(signatures),
    }


def verify(
    headers: Mapping[str, str],
    body: bytes,
    secrets: Sequence[str],
    *,
    now: datetime,
    tolerance_s: int = TOLERANCE_S,
) -> str:
    """The message id that one of `secrets` signed together with these very bytes.

    TIMESTAMP_SKEW when it was signed more than `tolerance_s` before or after `now`,
    SIGNATURE_INVALID for everything else, without saying what.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id = _matching(_MESSAGE_ID, given.get(ID_HEADER))
    seconds = int(_matching(_SECONDS, given.get(TIMESTAMP_HEADER)))
    if abs(int(now.timestamp()) - seconds) > tolerance_s:
        raise SynapseError(Code.TIMESTAMP_SKEW)
    timestamp = datetime.fromtimestamp(seconds, UTC)
    expected = _signatures(message_id, timestamp, _text(body), secrets)
    if not _any_match(expected, given.get(SIGNATURE_HEADER, "").split(" ")):
        raise SynapseError(Code.SIGNATURE_INVALID)
    return message_id


def _signatures(
    message_id: str, timestamp: datetime, body: str, secrets: Iterable[str]
) -> list[str]:
    # The package takes any datetime for UTC, whatever its zone.
    moment = timestamp.astimezone(UTC)
    return [Webhook(secret).sign(message_id, moment, body) for secret in secrets]


def _matching(pattern: re.Pattern[str], header: str | None) -> str:
    if header is None or not pattern.fullmatch(header):
        raise SynapseError(Code.SIGNATURE_INVALID)
    return header


def _text(body: bytes) -> str:
    """What the package signs is text; nobody can have signed other bytes with it."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise SynapseError(Code.SIGNATURE_INVALID) from None


def _any_match(expected: Iterable[str], given: Sequence[str]) -> bool:
    candidates = [signature.encode(errors="replace") for signature in given]
    return any(
        hmac.compare_digest(signature.encode(), candidate)
        for signature in expected
        for candidate in candidates
    )
