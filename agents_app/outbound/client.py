"""One request, from URL to `Reply`: callbacks and A2A messages out, files in."""

import socket
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPResponse
from time import monotonic
from typing import cast

from agents_app.outbound.addresses import Address, Network, plain
from agents_app.outbound.connection import connected
from agents_app.outbound.gate import checked_addresses
from agents_app.outbound.headers import all_fit
from agents_app.outbound.places import Places
from agents_app.outbound.reply import Reply, read_reply
from agents_app.outbound.target import Target, read_target
from agents_app.outbound.trouble import EXPECTED, trouble_of
from agents_app.outbound.wire import Deadline, TimedSocket
from agents_app.protocol.errors import Code, SynapseError

# Room for status line, headers and chunk framing around the bytes that are kept.
_FRAMING_BYTES = 64 * 1024


def post(
    url: str,
    *,
    body: bytes,
    headers: Mapping[str, str],
    allowed_private: Sequence[Network],
    connect_s: float = 5.0,
    total_s: float = 15.0,
    keep_bytes: int = 4096,
    party: str = "",
    at_once: int | None = None,
) -> Reply:
    """Send once and say what came of it; trouble is a `Reply`, never an exception.

    The name is looked up once, every address judged, and the socket opened to one of
    exactly those (G25, G26). `connect_s` bounds the lookup and, again, the connecting;
    `total_s` bounds everything together in wall-clock seconds (G23). Redirects are
    answers like any other. A header that could split the request is not sent (G27).
    For one `party` this process has `at_once` requests on their way to one address and
    port, whatever name leads there; another one is not sent (G24).
    """
    limits = _Limits(
        allowed_private, connect_s, total_s, keep_bytes, party=party, at_once=at_once
    )
    return _request("POST", url, body, headers, limits)


def get(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    allowed_private: Sequence[Network],
    connect_s: float = 5.0,
    total_s: float = 60.0,
    keep_bytes: int,
    party: str = "",
    at_once: int | None = None,
) -> Reply:
    """Fetch once, under the same rules; at most `keep_bytes` of the body are read."""
    limits = _Limits(
        allowed_private, connect_s, total_s, keep_bytes, party=party, at_once=at_once
    )
    return _request("GET", url, None, headers or {}, limits)


@dataclass(frozen=True, slots=True)
class _Limits:
    allowed_private: Sequence[Network]
    connect_s: float
    total_s: float
    keep_bytes: int
    party: str = ""
    at_once: int | None = None


_places = Places()


def _request(
    method: str,
    url: str,
    body: bytes | None,
    headers: Mapping[str, str],
    limits: _Limits,
) -> Reply:
    started = monotonic()
    try:
        target = _prepared(url, headers)
        reply = _exchange(target, method, body, headers, limits)
    except EXPECTED as error:
        reply = Reply(error=trouble_of(error))
    return replace(reply, elapsed_ms=round((monotonic() - started) * 1000))


def _prepared(url: str, headers: Mapping[str, str]) -> Target:
    if not all_fit(headers):
        raise SynapseError(Code.INVALID_FIELD)
    return read_target(url, field="url")


def _exchange(
    target: Target,
    method: str,
    body: bytes | None,
    headers: Mapping[str, str],
    limits: _Limits,
) -> Reply:
    budget = Deadline(limits.total_s)
    within = min(limits.connect_s, budget.left())
    addresses = checked_addresses(target, limits.allowed_private, within=within)
    with (
        _place(target, addresses, limits),
        connected(target, addresses, connect_s=limits.connect_s, budget=budget) as sock,
    ):
        wire = TimedSocket(sock, budget, limit=limits.keep_bytes + _FRAMING_BYTES)
        with closing(_ask(wire, target, method, body, headers)) as response:
            return read_reply(response, limits.keep_bytes)


def _place(
    target: Target, addresses: Sequence[Address], limits: _Limits
) -> AbstractContextManager[None]:
    if limits.at_once is None:
        return nullcontext()
    spelled = {str(plain(address)) for address in addresses}
    places = [(limits.party, address, target.port) for address in spelled]
    return _places.taken(places, at_once=limits.at_once)


def _ask(
    wire: TimedSocket,
    target: Target,
    method: str,
    body: bytes | None,
    headers: Mapping[str, str],
) -> HTTPResponse:
    connection = HTTPConnection(target.host, target.port)
    # With a socket in place it opens none itself; it calls no other methods.
    connection.sock = cast(socket.socket, wire)
    fixed = {"Host": target.authority, "Connection": "close", "User-Agent": "Synapse"}
    connection.request(method, target.resource, body, {**headers, **fixed})
    return connection.getresponse()
