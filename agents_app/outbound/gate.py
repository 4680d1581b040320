"""The address check: what a URL says at submit, where it leads at send (G25, G26).

DNS is asked at send only: an answer that is true at submit says nothing about later,
and a name server that is slow on purpose would hold the web process.

Every refusal reads the same, so that nobody can use it to look into the network.
"""

from collections.abc import Sequence

from agents_app.outbound.addresses import Address, Network, may_open
from agents_app.outbound.resolver import look_up
from agents_app.outbound.target import Target, read_target
from agents_app.protocol.errors import Code, SynapseError

# Names that never are anybody's outside: of RFC 6762, RFC 8375 and by habit. And those
# without a dot, which only the search list of a machine completes.
_INNER_DOMAINS = (
    ".corp",
    ".home",
    ".home.arpa",
    ".internal",
    ".intranet",
    ".lan",
    ".local",
    ".localdomain",
    ".private",
)


def check_url(
    url: str,
    *,
    allowed_private: Sequence[Network],
    field: str = "callback_url",
) -> None:
    """Judge a URL when it is handed in (P2A 6.1); silence means it may be used.

    INVALID_FIELD for its text, naming `field`; ADDRESS_REFUSED for an address that may
    not be reached, and, where nothing private may be, for a name of inner networks. Any
    other name is accepted: it is looked up when something is sent.
    """
    target = read_target(url, field=field)
    if target.address is None:
        if not allowed_private and _is_inner(target.host):
            raise SynapseError(Code.ADDRESS_REFUSED)
    elif not may_open(target.address, allowed_private):
        raise SynapseError(Code.ADDRESS_REFUSED)


def checked_addresses(
    target: Target, allowed_private: Sequence[Network], *, within: float
) -> tuple[Address, ...]:
    """The addresses to connect to, all of them judged; ADDRESS_REFUSED, Unresolved.

    One bad address spoils the name: an answer that mixes public and private ones is
    the mark of somebody trying.
    """
    found = (
        look_up(target.host, target.port, within=within)
        if target.address is None
        else (target.address,)
    )
    if not all(may_open(address, allowed_private) for address in found):
        raise SynapseError(Code.ADDRESS_REFUSED)
    return found


def _is_inner(host: str) -> bool:
    return "." not in host or host.endswith(_INNER_DOMAINS)
