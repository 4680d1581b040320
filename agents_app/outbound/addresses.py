"""Which addresses a socket may be opened to (G25). Pure: no DNS, no sockets.

IPv4 is public unless listed, as the IANA special-purpose registry does. IPv6 is the
other way round: only 2000::/3 is public. The tables are ours because
`ipaddress.is_global` answers differently from one Python release to the next.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SPECIAL_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # This host
            "10.0.0.0/8",  # Private
            "100.64.0.0/10",  # Carrier-grade NAT, some clouds' metadata
            "127.0.0.0/8",  # Loopback
            "168.63.129.16/32",  # Public by number, yet the inside of a large cloud
            "169.254.0.0/16",  # Link-local, most clouds' metadata
            "172.16.0.0/12",  # Private
            "192.0.0.0/24",  # Protocol assignments, one cloud's metadata
            "192.0.2.0/24",  # Documentation
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # Private
            "198.18.0.0/15",  # Benchmarks
            "198.51.100.0/24",  # Documentation
            "203.0.113.0/24",  # Documentation
            "224.0.0.0/4",  # Multicast
            "240.0.0.0/4",  # Reserved, broadcast
        ),
    )
)
_PUBLIC_V6 = IPv6Network("2000::/3")
_SPECIAL_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # Protocol assignments, Teredo among them
            "2001:db8::/32",  # Documentation
            "2002::/16",  # 6to4
            "3fff::/20",  # Documentation
        ),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")


def may_open(address: Address, allowed_private: Sequence[Network]) -> bool:
    """Whether every network this address leads to is public or allowed."""
    return all(
        _public(layer) or any(layer in network for network in allowed_private)
        for layer in _layers(address)
    )


def plain(address: Address) -> Address:
    """The IPv4 address that an IPv6 one only spells, or the address itself."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_V4)
    special = any(address in network for network in _SPECIAL_V6)
    return address in _PUBLIC_V6 and not special


def _layers(address: Address) -> tuple[Address, ...]:
    """The address and the IPv4 ones wrapped in it: allowing a tunnel opens no target.

    A mapped address is only a spelling, so its IPv4 form alone counts.
    """
    address = plain(address)
    if isinstance(address, IPv4Address):
        return (address,)
    if address.sixtofour is not None:
        return (address, address.sixtofour)
    if address.teredo is not None:
        return (address, *address.teredo)
    if address in _NAT64:
        return (address, IPv4Address(address.packed[-4:]))
    return (address,)
