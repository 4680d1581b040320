"""`format` is asserted: a date is a date. Unknown formats are comments."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date
from uuid import UUID

from agents_app.protocol.times import parse_rfc3339
from agents_app.schemas.budget import Budget
from agents_app.schemas.patterns import BadPattern, Pattern

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# Longer texts are none of those that are parsed here.
_LONGEST = 100


def _date(text: str) -> object:
    return _DATE.fullmatch(text) and date.fromisoformat(text)


def _uuid(text: str) -> object:
    return _UUID.fullmatch(text) and UUID(text)


def _email(text: str) -> object:
    name, _, host = text.rpartition("@")
    return name and host


def _ipv6(text: str) -> object:
    return "%" not in text and ipaddress.IPv6Address(text)  # No zone.


_PARSED: Mapping[str, Callable[[str], object]] = {
    "date": _date,
    "date-time": parse_rfc3339,
    "ipv4": ipaddress.IPv4Address,
    "ipv6": _ipv6,
    "uuid": _uuid,
}


def fits(text: str, name: str, budget: Budget) -> bool:
    """Whether a text has the format. TooMuch."""
    if name == "regex":
        return _is_pattern(text, budget)
    if name in ("email", "idn-email"):
        return bool(_email(text))
    parse = _PARSED.get(name)
    if parse is None:
        return True
    try:
        return len(text) <= _LONGEST and bool(parse(text))
    except ValueError:
        return False


def _is_pattern(text: str, budget: Budget) -> bool:
    try:
        Pattern(text, budget)
    except BadPattern:
        return False
    return True
