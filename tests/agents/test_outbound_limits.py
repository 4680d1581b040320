"""Time and size: every receiver that will not end is ended by the budget (G23)."""

import socket
import threading
import tracemalloc
from ipaddress import ip_network

import pytest

from agents_app.outbound import Trouble, get, post
from tests.receiver import (
    Receiver,
    drip_body,
    drip_headers,
    endless,
    gzip_bomb,
    hang,
    huge,
    never_accepting,
    ok,
)

LOOPBACK = (ip_network("127.0.0.0/8"),)
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def send(url, body=b"{}", **limits):
    return post(url, body=body, headers={}, allowed_private=LOOPBACK, **limits)


@pytest.fixture
def silent():
    """A port that takes connections, reads nothing and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(5)
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("step", [hang(), drip_headers()])
def test_it_gives_up_on_headers_that_do_not_end(step):
    with Receiver(step) as receiver:
        reply = send(receiver.url(), total_s=0.3)
    assert (reply.error, reply.status) == ("timeout", None)
    assert reply.elapsed_ms >= 300


def test_it_gives_up_on_a_body_that_drips_and_tells_what_it_had():
    with Receiver(drip_body()) as receiver:
        reply = send(receiver.url(), total_s=0.3)
    assert (reply.error, reply.status, reply.ok) == ("timeout", 200, False)
    assert set(reply.body) <= {ord("x")}


def test_it_gives_up_on_a_drip_of_chunks():
    with Receiver(endless(b"1\r\nx\r\n", after=CHUNKED, every=0.05)) as receiver:
        reply = send(receiver.url(), total_s=0.3)
    assert (reply.error, reply.status) == ("timeout", 200)


def test_it_gives_up_when_nobody_accepts():
    with never_accepting() as url:
        assert send(url, connect_s=0.1).error == "timeout"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_it_gives_up_on_a_silent_port(silent, scheme):
    assert send(f"{scheme}://{silent}/", total_s=0.2).error == "timeout"


def test_it_gives_up_when_nobody_reads_what_it_sends(silent):
    reply = send(f"http://{silent}/", body=bytes(32 << 20), total_s=0.3)
    assert reply.error == "timeout"


@pytest.fixture
def sipping():
    """A port that takes what is sent in small sips, so that no single send is late."""
    done = threading.Event()

    def sip(listener):
        client, _ = listener.accept()
        with client:
            while not done.wait(0.01) and client.recv(1 << 13):
                pass

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=sip, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        done.set()
        thread.join()


def test_it_gives_up_when_what_it_sends_is_taken_in_sips(sipping):
    reply = send(sipping, body=bytes(32 << 20), total_s=0.3)
    assert reply.error == "timeout"
    assert reply.elapsed_ms < 10_000  # With a new timeout per send it takes a minute.


@pytest.mark.parametrize(
    "step",
    [
        endless(b"X-Many: y\r\n"),
        endless(b"x" * 8192),
        endless(b"HTTP/1.1 100 Continue\r\n\r\n", after=b""),
    ],
)
def test_it_gives_up_on_a_flood_of_headers(step):
    with Receiver(step) as receiver:
        reply = send(receiver.url())
    assert (reply.error, reply.status) == ("protocol", None)


@pytest.mark.parametrize(
    "step",
    [
        endless(b"Trailer: x\r\n", after=CHUNKED + b"0\r\n"),
        endless(b"1;" + b"e" * 5000 + b"\r\nx\r\n", after=CHUNKED),
        endless(b"0" * 8192, after=CHUNKED),
    ],
)
def test_it_gives_up_on_a_flood_around_chunks(step):
    with Receiver(step) as receiver:
        reply = send(receiver.url())
    assert (reply.error, reply.status) == ("protocol", 200)


def test_it_keeps_the_first_bytes_of_a_huge_body_only():
    with Receiver(huge()) as receiver:
        tracemalloc.start()
        reply = send(receiver.url())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (reply.status, reply.body, reply.ok) == (200, bytes(4096), True)
    assert peak < 1 << 20


def test_it_keeps_as_much_as_it_is_told_to():
    with Receiver(huge()) as receiver:
        assert len(send(receiver.url(), keep_bytes=100_000).body) == 100_000
        assert send(receiver.url(), keep_bytes=0).body == b""


def test_it_unpacks_nothing():
    with Receiver(gzip_bomb()) as receiver:
        reply = send(receiver.url())
    assert reply.body.startswith(b"\x1f\x8b")
    assert len(reply.body) == 4096


def test_it_reads_a_chunked_answer():
    with Receiver(ok()) as receiver:
        receiver.on("/", lambda x: x.wfile.write(CHUNKED + b"3\r\nabc\r\n0\r\n\r\n"))
        reply = send(receiver.url())
    assert (reply.ok, reply.body) == (True, b"abc")


def test_it_fetches_no_more_than_it_keeps():
    with Receiver(ok(b"x" * 100)) as receiver:
        url = receiver.url("/f")
        reply = get(url, allowed_private=LOOPBACK, keep_bytes=10)
        (request,) = receiver.wait_for(1)
    assert (reply.status, reply.body) == (200, b"x" * 10)
    assert (request.method, request.body) == ("GET", b"")


def test_it_fetches_nothing_from_inside_the_network():
    reply = get("http://127.0.0.1:8009/", allowed_private=(), keep_bytes=10)
    assert reply.error is Trouble.REFUSED_ADDRESS
