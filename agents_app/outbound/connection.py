"""A connected socket to one of the checked addresses; nothing is looked up here (G26).

The last step before HTTP. TLS verifies the name of the URL, not the address.
"""

import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from ipaddress import IPv4Address

from agents_app.outbound.addresses import Address
from agents_app.outbound.target import Target
from agents_app.outbound.wire import Deadline

# More would only cut the time each of them gets.
_MAX_ADDRESSES = 4


@contextmanager
def connected(
    target: Target, addresses: Sequence[Address], *, connect_s: float, budget: Deadline
) -> Iterator[socket.socket]:
    """Connect and, for https, shake hands; closed at the end. OSError, SSLError."""
    seconds = min(connect_s, budget.left())
    with _connect(addresses[:_MAX_ADDRESSES], target.port, seconds=seconds) as plain:
        if target.scheme == "http":
            yield plain
            return
        # The handshake counts this timeout as a whole, however it is dripped.
        plain.settimeout(budget.left())
        with tls_context().wrap_socket(plain, server_hostname=target.host) as secure:
            yield secure


@cache
def tls_context() -> ssl.SSLContext:
    """The system's trust store, read once per process; SSL_CERT_FILE replaces it."""
    return ssl.create_default_context()


def _connect(
    addresses: Sequence[Address], port: int, *, seconds: float
) -> socket.socket:
    """The first address that answers; the seconds are shared out among them."""
    failure: OSError | None = None
    for address in addresses:
        try:
            return _connect_to(address, port, seconds=seconds / len(addresses))
        except OSError as error:
            failure = error
    raise failure or OSError("no address to connect to")


def _connect_to(address: Address, port: int, *, seconds: float) -> socket.socket:
    v4 = isinstance(address, IPv4Address)
    sock = socket.socket(socket.AF_INET if v4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        # Headers and body are two writes; the second must not wait for an answer.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(seconds)
        sock.connect((str(address), port))
    except BaseException:
        sock.close()
        raise
    return sock
