"""G31, G32: the same envelope has one effect and one answer; other bytes none."""

import json

import pytest

from tasks_app.models import Received, Task
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import Peer, acked, refused
from tests.tasks.racing import race


@pytest.fixture
def peer(transactional_db: None) -> Peer:
    return Peer("ada")


def test_it_gives_repeats_the_same_answer_g31(ada, rows) -> None:
    envelope = ada.envelope("task_request", request())
    first = ada.send(envelope)
    after = rows()
    answers = {ada.send(envelope).content for _ in range(9)}
    assert answers == {first.content}
    assert rows() == after


def test_it_gives_a_refused_one_the_same_refusal_g31(ada) -> None:
    envelope = ada.envelope("task_cancel", {"task_id": "nope"})
    first, again = ada.send(envelope), ada.send(envelope)
    assert (refused(first), first.content) == (2001, again.content)


@pytest.mark.parametrize("kind", ["task_request", "task_cancel"])
def test_it_has_one_effect_of_ten_at_once_g31(peer, kind) -> None:
    if kind == "task_cancel":
        assert acked(peer.say("task_request", request()))
    envelope = peer.envelope(kind, request())
    answers = race(*[lambda: peer.send(envelope)] * 10)
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    task = Task.objects.get()
    kinds = [message.type for message in task.messages.all()]
    assert kinds.count(f"p2p:{kind}") == 1
    assert Received.objects.filter(message_id=envelope["message_id"]).count() == 1


def test_it_makes_one_task_of_two_requests_at_once(peer) -> None:
    say = [lambda: peer.say("task_request", request())] * 4
    assert all(acked(answer) for answer in race(*say))
    assert Task.objects.count() == 1


def test_it_refuses_other_content_under_the_same_id_g32(ada, rows) -> None:
    envelope = ada.envelope("task_request", request())
    assert acked(ada.send(envelope))
    after = rows()
    response = ada.send(envelope | {"payload": request("t-2")})
    assert (refused(response), response.status_code) == (6005, 409)
    assert rows() == after


def test_it_refuses_the_same_content_in_other_bytes_g32(ada) -> None:
    envelope = ada.envelope("task_request", request())
    assert acked(ada.send(envelope))
    body = json.dumps(envelope, indent=1).encode()
    response = ada.post(body, ada.signed(body, envelope["message_id"]))
    assert refused(response) == 6005


def test_it_takes_the_same_id_from_another_sender(ada, eve) -> None:
    ids = {"message_id": "one"}
    assert acked(ada.say("task_request", request("a"), **ids))
    assert acked(eve.say("task_request", request("e"), **ids))
    assert Task.objects.count() == 2
