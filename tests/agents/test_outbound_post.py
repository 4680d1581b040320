"""What is sent, what comes back, what is never done: redirects, proxies, cookies."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from ipaddress import ip_network

import pytest

from agents_app.outbound import Reply, fits_header, post
from agents_app.outbound.reply import read_retry_after
from tests.receiver import (
    Receiver,
    gone,
    hang,
    ok,
    raw,
    redirect,
    reset,
    slow_down,
    status,
)

LOOPBACK = (ip_network("127.0.0.0/8"),)
BAD_VALUES = [
    "a\r\nX-Evil: 1",
    "a\nb",
    "a\r\n b",
    "a\x00",
    "",
    " a",
    "é",
    "令牌",
    "a\x7f",
]
NOW = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


def send(url, headers=None, allowed=LOOPBACK, **limits):
    return post(
        url, body=b'{"a": 1}', headers=headers or {}, allowed_private=allowed, **limits
    )


def test_it_sends_the_bytes_and_headers_it_was_given():
    headers = {"Content-Type": "application/json", "X-Callback-Token": "s3cret token"}
    with Receiver(ok(b'{"got": true}')) as receiver:
        reply = send(receiver.url("/hook?x=1"), headers)
        (request,) = receiver.wait_for(1)
    assert (reply.ok, reply.status, reply.body) == (True, 200, b'{"got": true}')
    assert (request.method, request.path) == ("POST", "/hook?x=1")
    assert request.body == b'{"a": 1}'
    assert request.headers == {
        "host": f"127.0.0.1:{receiver.port}",
        "accept-encoding": "identity",
        "connection": "close",
        "content-length": "8",
        "content-type": "application/json",
        "user-agent": "Synapse",
        "x-callback-token": "s3cret token",
    }


def test_it_refuses_an_inner_address_at_send_too():
    with Receiver() as receiver:
        reply = send(receiver.url(), allowed=())
    assert (reply.ok, reply.error) == (False, "refused_address")
    assert receiver.connections == 0


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_it_does_not_follow_a_redirect(code):
    with Receiver() as receiver:
        receiver.on("/hook", redirect(receiver.url("/elsewhere"), code))
        reply = send(receiver.url("/hook"))
    assert (reply.status, reply.ok, reply.error) == (code, False, None)
    assert [request.path for request in receiver.requests] == ["/hook"]


def test_it_reports_a_status_that_is_no_success():
    with Receiver(status(500, body=b"boom"), gone()) as receiver:
        first, second = send(receiver.url()), send(receiver.url())
    assert (first.status, first.body, first.ok) == (500, b"boom", False)
    assert (second.status, second.ok) == (410, False)


def test_it_reads_how_long_to_wait():
    with Receiver(slow_down(120)) as receiver:
        reply = send(receiver.url())
    assert (reply.status, reply.retry_after) == (429, 120)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, None),
        ("0", 0),
        ("120", 120),
        ("9" * 5000, 999_999_999),
        ("Wed, 01 Jul 2026 12:01:30 GMT", 90),
        ("Wed, 01 Jul 2026 12:01:30 -0000", 90),
        ("Wed, 01 Jul 2026 11:00:00 GMT", 0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("Wed, 99 Jul 2026 12:01:30 GMT", None),
    ],
)
def test_it_understands_both_forms_of_retry_after(text, seconds):
    assert read_retry_after(text, now=NOW) == seconds


def test_it_keeps_what_verifies_a_signed_answer_and_no_other_header():
    signed = {"Webhook-Id": "msg_1", "Webhook-Signature": "v1,abc", "Set-Cookie": "a=b"}
    with Receiver(status(200, signed)) as receiver:
        reply = send(receiver.url())
    assert reply.headers == {"webhook-id": "msg_1", "webhook-signature": "v1,abc"}


def test_it_keeps_no_cookie_and_uses_no_proxy_or_netrc(monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password secret")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with Receiver() as proxy, Receiver(status(200, {"Set-Cookie": "a=b"})) as receiver:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url())
        send(receiver.url())
        send(receiver.url())
        _, second = receiver.wait_for(2)
    assert proxy.connections == 0
    assert not {"cookie", "authorization"} & set(second.headers)


@pytest.mark.parametrize("value", [*BAD_VALUES, "x" * 4097])
def test_it_sends_nothing_when_a_header_could_split_the_request(value):
    with Receiver() as receiver:
        reply = send(receiver.url(), {"X-Callback-Token": value})
    assert (reply.error, reply.status) == ("invalid_request", None)
    assert receiver.connections == 0
    assert not fits_header(value)


@pytest.mark.parametrize("name", ["X-A\r\nX-B", "", "X A", "X:A", "é"])
def test_it_sends_nothing_under_a_name_that_is_no_header(name):
    with Receiver() as receiver:
        assert send(receiver.url(), {name: "v"}).error == "invalid_request"
    assert receiver.connections == 0


def test_it_takes_a_token_of_any_visible_characters():
    assert fits_header("~!{}[]\" <'>;,=" + "x" * 4000)


@pytest.mark.parametrize("url", ["ftp://hooks.example/", "http://127.0.0.1:22/", "no"])
def test_it_answers_a_url_that_is_none_with_a_reply(url):
    assert send(url).error == "invalid_request"


def test_it_reports_a_port_nobody_listens_on():
    with Receiver() as receiver:
        url = receiver.url()
    assert send(url).error == "connect"


@pytest.mark.parametrize(
    ("step", "error", "answered"),
    [
        (reset(), "reset", None),
        (raw(b""), "reset", None),
        (raw(b"220 mail.example ESMTP\r\n"), "protocol", None),
        (raw(b"HTTP/1.1 9999 What\r\n\r\n"), "protocol", None),
        (raw(b"HTTP/2 200\r\n\r\n"), "protocol", None),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), "protocol", 200),
        (
            raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz"),
            "protocol",
            200,
        ),
    ],
)
def test_it_names_the_trouble_with_a_broken_answer(step, error, answered):
    with Receiver(step) as receiver:
        reply = send(receiver.url())
    assert (reply.error, reply.status, reply.ok) == (error, answered, False)


def test_it_speaks_no_tls_to_a_plain_receiver():
    with Receiver() as receiver:
        url = receiver.url().replace("http:", "https:")
        assert send(url, total_s=2).error == "tls"


def test_it_serves_many_threads_and_a_hanging_receiver_hurts_only_its_own():
    with Receiver() as receiver, ThreadPoolExecutor(16) as pool:
        receiver.on("/hang", hang())
        calls = [(receiver.url("/hang"), 0.5), (receiver.url("/good"), 15)] * 8
        replies = list(pool.map(lambda call: send(call[0], total_s=call[1]), calls))
    assert [reply.error for reply in replies] == ["timeout", None] * 8


def test_it_hands_back_a_value_that_cannot_be_changed():
    with pytest.raises(AttributeError):
        Reply().status = 200
