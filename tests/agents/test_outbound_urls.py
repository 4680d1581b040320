"""What `check_url` says to a URL that somebody hands in, without asking DNS."""

from ipaddress import IPv4Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents_app.outbound import check_url
from agents_app.outbound.target import read_target
from agents_app.protocol.errors import Code, SynapseError

LOOPBACK = (ip_network("127.0.0.0/8"),)
INNER_HOSTS = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7F.0.0.1",
    "017700000001",
    "0177.0.0.01",
    "0",
    "0.0.0.0",  # noqa: S104 - A host to refuse, nothing binds to it.
    "10.0.0.8",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[fe80::1]",
    "[fd00::1]",
    "[ff02::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "shop.localhost",
    "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
    "127\u30020\u30020\u30021",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
]
LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"]


def refusal(url, allowed=(), **how):
    with pytest.raises(SynapseError) as caught:
        check_url(url, allowed_private=allowed, **how)
    return caught.value


@pytest.mark.parametrize("host", INNER_HOSTS)
def test_it_refuses_every_spelling_of_an_inner_address(host):
    assert refusal(f"http://{host}/hook").code == Code.ADDRESS_REFUSED


def test_it_tells_nothing_about_why_an_address_is_refused():
    answers = {
        str(refusal(f"https://{host}:8443/x").to_object()) for host in INNER_HOSTS
    }
    assert len(answers) == 1


@given(
    st.ip_addresses(v=4, network="10.0.0.0/8"),
    st.sampled_from([str, int, hex, lambda number: f"0{number:o}"]),
)
def test_it_refuses_private_addresses_in_any_base(address, spell):
    host = str(address) if spell is str else spell(int(address))
    assert refusal(f"http://{host}/").code == Code.ADDRESS_REFUSED


@pytest.mark.parametrize("host", LOOPBACK_HOSTS)
def test_it_accepts_addresses_in_an_allowed_network(host):
    check_url(f"http://{host}:8000/", allowed_private=LOOPBACK)


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.com/a?b=c#d",
        "HTTPS://Hooks.Example.COM:8443",
        "http://93.184.216.34/",
        "http://[2606:2800:21f:cb07::1]:8080/",
        "https://bücher.example/",
        "https://hooks.example.com/" + "a" * 2022,
    ],
)
def test_it_accepts_a_public_url_or_a_name(url):
    check_url(url, allowed_private=())


INNER_NAMES = [
    "my_service",
    "metadata.google.internal",
    "Printer.LOCAL.",
    "nas.home.arpa",
]


@pytest.mark.parametrize("name", INNER_NAMES)
def test_it_refuses_names_of_inner_networks_where_none_is_allowed(name):
    assert refusal(f"http://{name}:8000/hook").code == Code.ADDRESS_REFUSED


@pytest.mark.parametrize("name", INNER_NAMES)
def test_it_leaves_inner_names_to_dns_where_some_network_is_allowed(name):
    check_url(f"http://{name}:8000/hook", allowed_private=LOOPBACK)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.com/",
        "//hooks.example.com/",
        "ftp://hooks.example.com/",
        "file:///etc/passwd",
        "gopher://hooks.example.com:70/",
        "javascript:alert(1)",
        "http://",
        "http:///path",
        "http://?x",
        "http://user@hooks.example.com/",
        "http://user:secret@hooks.example.com/",
        "http://@hooks.example.com/",
        "http://hooks.example.com\\@127.0.0.1/",
        "http://hooks.example.com\\.evil.example/",
        "http://127.0.0.1%2ehooks.example/",
        "http://hooks..example.com/",
        "http://-hooks.example.com/",
        "http://1.2.3.4.5/",
        "http://127.0.0.08/",
        "http://256.256.256.256/",
        "http://[::1/",
        "http://[::1%25eth0]/",
        "http://[v1.hooks]/",
        "http://[v1.a:b]/",
        "http://[2606::1]evil.example/",
        "http://evil.example[2606::1]/",
        "http://[2606::1].evil.example:80/",
        "http://2606::1/",
        "http://[127.0.0.1]/",
        "http://" + "a" * 64 + ".example/",
        "http://" + "ä" * 64 + ".example/",
        "http://hooks.example.com:0/",
        "http://hooks.example.com:65536/",
        "http://hooks.example.com:-1/",
        "http://hooks.example.com:\uff18\uff10/",
        "http://hooks.example.com:x/",
        "http://hooks.example.com:22/",
        "http://hooks.example.com:25/",
        "http://hooks.example.com:6379/",
        "http://hooks.example.com/\r\nX-Evil: 1",
        "http://hooks.example.com/\x00",
        "http://hooks.example.com/a b",
        "http://hooks.example.com/\ud800",
        " http://hooks.example.com/",
        "ht\ttp://hooks.example.com/",
        "https://hooks.example.com/" + "a" * 2023,
    ],
)
def test_it_refuses_what_is_no_plain_http_url(url):
    error = refusal(url)
    assert error.code == Code.INVALID_FIELD
    assert list(error.details["fields"]) == ["callback_url"]


def test_it_names_the_field_it_was_asked_about():
    error = refusal("ftp://agent.example/", field="endpoint")
    assert error.details["fields"] == {
        "endpoint": "must begin with http:// or https://"
    }


def test_it_allows_no_other_service_in_an_allowed_network():
    assert refusal("http://127.0.0.1:6379/", LOOPBACK).code == Code.INVALID_FIELD


@pytest.mark.parametrize(
    ("url", "authority", "resource"),
    [
        ("http://Shop.Example.", "shop.example", "/"),
        ("https://shop.example:443/a?b=ü#c", "shop.example", "/a?b=%C3%BC"),
        ("http://shop.example:8080/%2e/a|b?", "shop.example:8080", "/%2e/a%7Cb"),
        ("http://[2606::1]:81/?q=%20", "[2606::1]:81", "/?q=%20"),
        ("http://bücher.example/", "xn--bcher-kva.example", "/"),
    ],
)
def test_it_reads_a_url_into_what_is_sent(url, authority, resource):
    target = read_target(url, field="url")
    assert (target.authority, target.resource) == (authority, resource)


def test_it_keeps_the_address_that_a_number_names():
    target = read_target("http://0x5db8d822/", field="url")
    assert target.address == IPv4Address("93.184.216.34")
