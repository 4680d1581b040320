"""The host of a URL: its one normal spelling, and the address it names by itself.

Names go on to DNS in the `gate`. Literals are read here as the system would read them
on connect, so decimal, octal, hexadecimal, shortened and full-width forms all count.
"""

import re
import socket
from ipaddress import IPv4Address, IPv6Address

import idna

from agents_app.outbound.addresses import Address

_LOOPBACK = IPv4Address("127.0.0.1")

# Underscores are no hostname, but container networks name their services so.
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:0x[0-9a-f]*|[0-9]+)")


def read_host(text: str) -> tuple[str, Address | None]:
    """The normal spelling (ASCII, lower case, no brackets, no final dot), the address.

    The address is None for a name that DNS has to answer. ValueError for anything
    that is neither a name nor an address.
    """
    if ":" in text:
        address = _ipv6(text)
        return str(address), address
    ascii_text = text if text.isascii() else idna.encode(text, uts46=True).decode()
    host = ascii_text.lower().removesuffix(".")
    if not _NAME.fullmatch(host):
        raise ValueError("not a host name")
    return host, _named_by_itself(host)


def _named_by_itself(host: str) -> Address | None:
    # Loopback whatever DNS says (RFC 6761).
    if host == "localhost" or host.endswith(".localhost"):
        return _LOOPBACK
    if not _ENDS_IN_NUMBER.fullmatch(host):
        return None
    try:
        return IPv4Address(socket.inet_aton(host))
    except OSError as error:
        raise ValueError("not an IPv4 address") from error


def _ipv6(text: str) -> IPv6Address:
    address = IPv6Address(text)
    if address.scope_id:
        raise ValueError("a zone means something on one machine only")
    return address
