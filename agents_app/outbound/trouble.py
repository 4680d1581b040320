"""Every way a request can fail before it has an answer, as a short code.

The code is all that leaves this package: foreign error texts may name inner addresses.
"""

import ssl
from enum import StrEnum
from http.client import HTTPException

from agents_app.outbound.places import Crowded
from agents_app.outbound.resolver import Unresolved
from agents_app.protocol.errors import Code, SynapseError


class Trouble(StrEnum):
    """Safe to store and to show. Of these, the last two do not heal by waiting.

    CROWDED is no failure: nothing was sent yet.
    """

    CROWDED = "crowded"
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    RESET = "reset"
    PROTOCOL = "protocol"
    REFUSED_ADDRESS = "refused_address"
    INVALID_REQUEST = "invalid_request"


# First match wins: timeouts, TLS errors and resets are OSErrors too, and a connection
# closed before the status line is a reset and an HTTPException in one.
_BY_TYPE: tuple[tuple[type[Exception], Trouble], ...] = (
    (Crowded, Trouble.CROWDED),
    (Unresolved, Trouble.DNS),
    (TimeoutError, Trouble.TIMEOUT),
    (ssl.SSLError, Trouble.TLS),
    (ConnectionResetError, Trouble.RESET),
    (ConnectionAbortedError, Trouble.RESET),
    (BrokenPipeError, Trouble.RESET),
    (HTTPException, Trouble.PROTOCOL),
    (OSError, Trouble.CONNECT),
)

EXPECTED: tuple[type[Exception], ...] = (
    SynapseError,
    *(kind for kind, _ in _BY_TYPE),
)
"""What `trouble_of` can name; anything else is a mistake of ours and is raised."""


def trouble_of(error: Exception) -> Trouble:
    """The code for one of the `EXPECTED` errors."""
    if isinstance(error, SynapseError):
        refused = error.code is Code.ADDRESS_REFUSED
        return Trouble.REFUSED_ADDRESS if refused else Trouble.INVALID_REQUEST
    return next(trouble for kind, trouble in _BY_TYPE if isinstance(error, kind))
