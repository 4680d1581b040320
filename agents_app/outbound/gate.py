"""The address check, at submit and again at send (G25, G26).

Every refusal reads the same, so that nobody can use it to look into the network.
"""

from collections.abc import Sequence

from agents_app.outbound.addresses import Address, Network, may_open
from agents_app.outbound.resolver import Unresolved, look_up
from agents_app.outbound.target import Target, read_target
from agents_app.protocol.errors import Code, SynapseError

_SUBMIT_LOOKUP_SECONDS = 2.0


def check_url(
    url: str,
    *,
    allowed_private: Sequence[Network],
    resolve: bool,
    field: str = "callback_url",
) -> None:
    """Judge a URL when it is handed in (P2A 6.1); silence means it may be used.

    INVALID_FIELD for its text, naming `field`; ADDRESS_REFUSED for where it leads.
    With `resolve` DNS is asked for at most two seconds; a name without an address is
    accepted, since it may have one when something is sent.
    """
    target = read_target(url, field=field)
    if target.address is None and not resolve:
        return
    try:
        checked_addresses(target, allowed_private, within=_SUBMIT_LOOKUP_SECONDS)
    except Unresolved:
        return


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
