"""What may stand in a header we send: nothing that ends it or splits the request."""

import re
from collections.abc import Mapping

MAX_VALUE_CHARS = 4096
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


def fits_header(value: str) -> bool:
    """Whether a text can be sent as a header value, such as P2A 6.1 `callback_token`.

    1 to 4096 visible ASCII characters, spaces inside allowed.
    """
    return len(value) <= MAX_VALUE_CHARS and _VALUE.fullmatch(value) is not None


def all_fit(headers: Mapping[str, str]) -> bool:
    """Whether every name and every value may be sent."""
    return all(
        _NAME.fullmatch(name) and fits_header(value) for name, value in headers.items()
    )
