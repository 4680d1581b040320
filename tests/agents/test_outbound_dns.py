"""Names: what DNS answers is judged at submit and at send, and connected to as judged.

The double stands where the system resolver stands; the sockets are real.
"""

import socket
import threading
from ipaddress import ip_network

import pytest

from agents_app.outbound import Trouble, check_url, post
from agents_app.outbound.connection import tls_context
from agents_app.outbound.gate import checked_addresses
from agents_app.outbound.target import read_target
from agents_app.protocol.errors import Code, SynapseError
from tests.receiver import Receiver, drip_body, drip_headers, hang, self_signed

LOOPBACK = (ip_network("127.0.0.0/8"),)
PUBLIC = "93.184.216.34"
NAME = "hooks.example"


class Dns:
    """Gives its answers in turn; the last one repeats. No answer: an unknown name."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, host, port, **_):
        self.asked.append(host)
        addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(None, None, None, "", (address, port)) for address in addresses]


@pytest.fixture
def dns(monkeypatch):
    def answering(*answers):
        double = Dns(*answers)
        monkeypatch.setattr(socket, "getaddrinfo", double)
        return double

    return answering


@pytest.fixture
def silent_dns(monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: release.wait() and [])
    yield
    release.set()


def send(url, allowed=LOOPBACK, **limits):
    return post(url, body=b"{}", headers={}, allowed_private=allowed, **limits)


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["::1"], ["fd00::5"], [PUBLIC, "10.0.0.1"], ["fe80::1%eth0"]],
)
def test_it_refuses_a_name_with_an_inner_address(dns, addresses):
    dns(addresses)
    target = read_target(f"http://{NAME}/", field="url")
    with pytest.raises(SynapseError) as caught:
        checked_addresses(target, (), within=5)
    assert caught.value.code == Code.ADDRESS_REFUSED
    assert caught.value.to_object() == SynapseError(Code.ADDRESS_REFUSED).to_object()


def test_it_takes_a_name_with_public_addresses(dns):
    dns([PUBLIC, "2606:2800:21f:cb07::1"])
    target = read_target(f"http://{NAME}/", field="url")
    assert len(checked_addresses(target, (), within=5)) == 2


def test_it_asks_no_dns_when_a_url_is_handed_in(dns):
    double = dns(["127.0.0.1"])
    check_url(f"http://{NAME}/", allowed_private=())
    assert double.asked == []


def test_it_refuses_a_name_that_was_public_at_submit_and_is_not_at_send(dns):
    dns([PUBLIC])
    with Receiver() as receiver:
        url = receiver.url("/hook", host=NAME)
        check_url(url, allowed_private=())
        dns(["127.0.0.1"])
        reply = send(url, allowed=())
    assert (reply.error, reply.status) == (Trouble.REFUSED_ADDRESS, None)
    assert receiver.connections == 0


def test_it_connects_to_the_one_answer_that_was_checked(dns):
    double = dns(["127.0.0.1"], ["127.0.0.2"])
    with Receiver() as receiver:
        reply = send(receiver.url("/hook", host="Hooks.Example."))
        (request,) = receiver.wait_for(1)
    assert reply.ok
    assert double.asked == [NAME]
    assert request.headers["host"] == f"{NAME}:{receiver.port}"


def test_it_connects_nowhere_but_to_what_was_checked(dns):
    dns(["127.0.0.2"])  # The receiver listens elsewhere, on the same port.
    with Receiver() as receiver:
        reply = send(receiver.url(host=NAME), connect_s=0.3)
    assert reply.error in {"connect", "timeout"}
    assert receiver.connections == 0


def test_it_tries_the_next_address_when_one_does_not_answer(dns):
    dns(["127.0.0.2", "127.0.0.1"])  # The receiver listens on the second only.
    with Receiver() as receiver:
        assert send(receiver.url(host=NAME)).ok


def test_it_gives_the_code_dns_for_an_unknown_name(dns):
    dns([])
    assert send(f"http://{NAME}/").error == "dns"


def test_it_counts_the_lookup_into_the_budget(silent_dns):
    assert send(f"http://{NAME}/", total_s=0.1).error == "dns"


@pytest.fixture
def trusted(tmp_path, monkeypatch):
    """A certificate for NAME that the system, for this test, trusts."""
    pem = self_signed(tmp_path, NAME)
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    tls_context.cache_clear()
    yield pem
    tls_context.cache_clear()


def test_it_verifies_the_name_and_not_the_address(dns, trusted):
    dns(["127.0.0.1"])
    with Receiver(certificate=trusted) as receiver:
        assert send(receiver.url(host=NAME)).ok
        assert send(receiver.url(host="other.example")).error == "tls"
        assert send(receiver.url(host="127.0.0.1")).error == "tls"
    assert len(receiver.requests) == 1


@pytest.mark.parametrize(
    ("step", "answered"), [(hang(), None), (drip_headers(), None), (drip_body(), 200)]
)
def test_it_keeps_to_its_budget_behind_tls(dns, trusted, step, answered):
    dns(["127.0.0.1"])
    with Receiver(step, certificate=trusted) as receiver:
        reply = send(receiver.url(host=NAME), total_s=0.5)
    assert (reply.error, reply.status) == ("timeout", answered)


def test_it_trusts_no_self_signed_certificate(dns, tmp_path):
    dns(["127.0.0.1"])
    with Receiver(certificate=self_signed(tmp_path, NAME)) as receiver:
        assert send(receiver.url(host=NAME)).error == "tls"
    assert receiver.requests == ()
