"""First step of an outgoing request: the text of a URL becomes a `Target`.

Strict on purpose: what two URL readers could understand differently is refused.
"""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from agents_app.outbound.addresses import Address, plain
from agents_app.outbound.hosts import read_host
from agents_app.protocol.errors import Code, SynapseError

MAX_URL_CHARS = 2048
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Services that could take a line of our request for a command and on which nobody
# runs an HTTP receiver: echo to chargen, FTP, SSH, telnet, SMTP, DNS, POP3, portmapper,
# NNTP, NTP, NetBIOS, IMAP, SNMP, LDAP, SMB, the r-services, submission, rsync, mail
# over TLS, SQL Server, Oracle, NFS, MySQL, RDP, PostgreSQL, AMQP, Redis, memcached,
# MongoDB.
_REFUSED_PORTS = frozenset(
    {7, 9, 13, 19, 20, 21, 22, 23, 25, 53, 110, 111, 119, 123, 135, 137, 139, 143}
    | {161, 389, 445, 465, 512, 513, 514, 587, 636, 873, 993, 995, 1433, 1521, 2049}
    | {3306, 3389, 5432, 5672, 6379, 11211, 27017}
)

# Brackets stand around an IPv6 address and nowhere else; urlsplit drops what follows.
_BRACKETS = re.compile(r"[^\[\]]*|\[[^\[\]]*:[^\[\]]*\](?::[^\[\]]*)?")
_KEPT_IN_RESOURCE = "/?%:@!$&'()*+,;=~-._"


def bracketed(host: str) -> str:
    """The host as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a request goes.

    `host` stays the name that TLS verifies; `address` is what it names without DNS.
    `resource` is path and query, ready for the request line.
    """

    scheme: str
    host: str
    address: Address | None
    port: int
    resource: str

    @property
    def authority(self) -> str:
        """The Host header: brackets around IPv6, the port only where it is unusual."""
        host = bracketed(self.host)
        usual = self.port == _DEFAULT_PORTS[self.scheme]
        return host if usual else f"{host}:{self.port}"


def endpoint_of(url: str) -> str:
    """`scheme://host:port`, one for all spellings; at most 300 characters.

    A host that is an address by itself is that address, however it is written (`127.1`,
    `2130706433`, `localhost`, `[::ffff:127.0.0.1]`); a name is in lower case and ASCII.
    INVALID_FIELD as `read_target`.
    """
    target = read_target(url, field="url")
    host = str(plain(target.address)) if target.address else target.host
    return f"{target.scheme}://{bracketed(host)}:{target.port}"


class _Refusal(ValueError):
    """What is wrong with the URL, in words that complete the sentence "The URL …"."""


def read_target(url: str, *, field: str) -> Target:
    """Read a URL (P2A 6.1 `callback_url`); INVALID_FIELD names `field` and the cause.

    Judges the text only. Whether its address may be reached is for the `gate`.
    """
    try:
        parts = _split(url)
        host, address = _host(parts)
        return Target(
            scheme=parts.scheme,
            host=host,
            address=address,
            port=_port(parts),
            resource=_resource(parts),
        )
    except _Refusal as refusal:
        raise SynapseError(
            Code.INVALID_FIELD,
            f"The URL {refusal}.",
            details={"fields": {field: str(refusal)}},
        ) from refusal


def _split(url: str) -> SplitResult:
    if len(url) > MAX_URL_CHARS:
        raise _Refusal(f"is longer than {MAX_URL_CHARS} characters")
    # Before urlsplit, which silently drops tabs, newlines and leading controls.
    if any(unicodedata.category(char)[0] in "CZ" for char in url):
        raise _Refusal("contains whitespace or control characters")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise _Refusal("cannot be read") from error
    if parts.scheme not in _DEFAULT_PORTS:
        raise _Refusal("must begin with http:// or https://")
    if "@" in parts.netloc:
        raise _Refusal("must not carry a user name or password")
    return parts


def _host(parts: SplitResult) -> tuple[str, Address | None]:
    if not parts.hostname:
        raise _Refusal("has no host")
    if not _BRACKETS.fullmatch(parts.netloc):
        raise _Refusal("has a host that is neither a name nor an address")
    try:
        return read_host(parts.hostname)
    except ValueError as error:
        raise _Refusal("has a host that is neither a name nor an address") from error


_MAX_PORT_DIGITS = 5


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError as error:
        raise _Refusal("has a port outside 1 to 65535") from error
    if len(parts.netloc.rpartition(":")[2]) > _MAX_PORT_DIGITS and port is not None:
        raise _Refusal("has a port outside 1 to 65535")
    if port is None:
        return _DEFAULT_PORTS[parts.scheme]
    if port == 0:
        raise _Refusal("has a port outside 1 to 65535")
    if port in _REFUSED_PORTS:
        raise _Refusal("has a port that belongs to another service")
    return port


def _resource(parts: SplitResult) -> str:
    query = f"?{parts.query}" if parts.query else ""
    return quote(f"{parts.path or '/'}{query}", safe=_KEPT_IN_RESOURCE)
