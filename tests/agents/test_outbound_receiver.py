"""The receiver itself: what other tests rely on."""

import threading
from ipaddress import ip_network

import pytest

from agents_app.outbound import post
from tests.receiver import Receiver, gone, held, ok, status


def send(url, body=b"{}"):
    return post(url, body=body, headers={}, allowed_private=[ip_network("127.0.0.0/8")])


def test_it_plays_a_script_and_repeats_its_last_step():
    with Receiver(*[status(500)] * 2, ok()) as receiver:
        assert [send(receiver.url()).status for _ in range(4)] == [500, 500, 200, 200]


def test_it_has_a_script_per_path():
    with Receiver() as receiver:
        receiver.on("/old", gone())
        assert send(receiver.url("/old?x=1")).status == 410
        assert send(receiver.url("/new")).status == 200


def test_it_waits_for_requests_to_one_path():
    with Receiver() as receiver:
        sender = threading.Thread(target=send, args=(receiver.url("/b"), b'{"n": 2}'))
        send(receiver.url("/a"))
        sender.start()
        (request,) = receiver.wait_for(1, path="/b")
        sender.join()
    assert request.json() == {"n": 2}


def test_it_says_how_many_requests_came_when_too_few_did():
    with Receiver() as receiver:
        send(receiver.url())
        with pytest.raises(AssertionError, match="1 of 2 requests"):
            receiver.wait_for(2, timeout=0.01)


def test_it_holds_an_answer_until_it_is_released():
    release = threading.Event()
    with Receiver(held(release)) as receiver:
        replies = []
        sender = threading.Thread(target=lambda: replies.append(send(receiver.url())))
        sender.start()
        receiver.wait_for(1)
        assert replies == []
        release.set()
        sender.join()
    assert replies[0].ok
