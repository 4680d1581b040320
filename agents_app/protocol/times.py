"""Timestamps on the wire: RFC 3339, UTC, milliseconds, `Z`."""

import re
from datetime import UTC, datetime

_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)",
    re.ASCII | re.IGNORECASE,
)


def rfc3339(moment: datetime) -> str:
    """Write an aware datetime, cut (not rounded) to milliseconds."""
    if moment.tzinfo is None:
        raise ValueError("a timestamp needs a time zone")
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z"


def parse_rfc3339(text: str) -> datetime:
    """Read any RFC 3339 timestamp as UTC; ValueError for everything else.

    `fromisoformat` alone accepts week dates, missing zones and basic formats.
    """
    if not _RFC3339.fullmatch(text):
        raise ValueError("not an RFC 3339 timestamp")
    try:
        return datetime.fromisoformat(text.upper()).astimezone(UTC)
    except OverflowError as overflow:  # Year 1 or 9999 moved over the edge by its zone.
        raise ValueError("not a representable moment") from overflow
