"""`format` is asserted: a date is a date. Unknown formats are comments."""

from jsonschema import FormatChecker

from agents_app.protocol.times import parse_rfc3339

# Longer texts are none of these.
_LONGEST = 320
_FORMATS = FormatChecker(["date", "ipv4", "ipv6", "uuid"])


@_FORMATS.checks("date-time", raises=ValueError)
def _is_moment(text: object) -> bool:
    return bool(parse_rfc3339(str(text)))


@_FORMATS.checks("email")
@_FORMATS.checks("idn-email")
def _is_email(text: object) -> bool:
    user, _, host = str(text).rpartition("@")
    return bool(user and host)


def fits(text: str, name: str) -> bool:
    """Whether a text has the format; `regex` is not among them."""
    if name not in _FORMATS.checkers:
        return True
    return len(text) <= _LONGEST and _FORMATS.conforms(text, name)
