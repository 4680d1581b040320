"""Which addresses count as reachable, tunnels and spellings of IPv4 included."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents_app.outbound.addresses import may_open

PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:2800:21f:cb07::1", "::ffff:8.8.8.8"]
SPECIAL = [
    "0.0.0.0",  # noqa: S104 - An address to refuse, nothing binds to it.
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.1.1",
    "224.0.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2002:808:808::1",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("text", PUBLIC)
def test_it_opens_public_addresses(text):
    assert may_open(ip_address(text), ())


@pytest.mark.parametrize("text", SPECIAL)
def test_it_opens_no_special_address(text):
    assert not may_open(ip_address(text), ())


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("10.1.2.3", "10.0.0.0/8"),
        ("::ffff:10.1.2.3", "10.0.0.0/8"),
        ("fd00::7", "fd00::/64"),
        ("64:ff9b::8.8.8.8", "64:ff9b::/96"),
    ],
)
def test_it_opens_what_the_administrator_allowed(text, network):
    assert may_open(ip_address(text), (ip_network(network),))


@pytest.mark.parametrize(
    ("text", "tunnel"),
    [
        ("64:ff9b::169.254.169.254", "64:ff9b::/96"),
        ("2002:7f00:1::1", "2002::/16"),
        ("2001:0:808:808:0:0:80ff:fffe", "2001::/32"),
    ],
)
def test_it_opens_nothing_private_behind_an_allowed_tunnel(text, tunnel):
    assert not may_open(ip_address(text), (ip_network(tunnel),))


def test_it_opens_a_public_client_behind_an_allowed_tunnel():
    teredo = ip_address("2001:0:808:808:0:0:f7f7:f7f7")
    assert may_open(teredo, (ip_network("2001::/32"),))


@given(st.ip_addresses())
def test_it_never_opens_what_python_calls_private(address):
    if not address.is_global:
        assert not may_open(address, ())
