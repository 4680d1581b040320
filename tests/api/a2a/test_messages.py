"""POST /a2a/messages: signed envelopes in, signed acks and nacks out."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from agents_app.protocol import signing
from tasks_app import peers
from tasks_app.models import Received, Task
from tasks_app.secrets import vault
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import NODE, acked, refused

pytestmark = pytest.mark.django_db


def test_it_takes_a_task_of_a_peer(ada) -> None:
    response = ada.say("task_request", request())
    assert acked(response)
    task = Task.objects.get()
    assert (task.requester, task.requester_task_id) == ("agent:ada", "t-1")


def test_it_signs_its_answer_under_the_answers_own_id(ada) -> None:
    envelope = ada.envelope("task_request", request())
    response = ada.send(envelope)
    answer = ada.read(response)
    assert response.headers["webhook-id"] == answer["message_id"]
    assert (answer["sender"], answer["recipient"]) == (NODE, "agent:ada")
    assert answer["payload"] == {"message_id": envelope["message_id"]}
    assert answer["in_reply_to"] == envelope["message_id"]


def test_it_signs_a_refusal_with_the_status_of_its_code(ada) -> None:
    response = ada.say("task_cancel", {"task_id": "nope"})
    assert response.status_code == 404
    assert ada.read(response)["payload"]["error"]["code"] == 2001


def test_it_verifies_the_bytes_as_they_came_g30(ada) -> None:
    fields = ada.envelope("task_request", request(), note="é\u20ac", number=1)
    text = json.dumps(fields, indent=3, ensure_ascii=False)
    body = text.replace('"number": 1', '"number" :1.0 ').encode()
    assert acked(ada.post(body, ada.signed(body, fields["message_id"])))


@pytest.mark.parametrize("seconds", [-290, 290])
def test_it_takes_what_was_signed_within_300_s_g30(ada, seconds) -> None:
    envelope = ada.envelope("task_request", request())
    body = json.dumps(envelope).encode()
    at = datetime.now(UTC) + timedelta(seconds=seconds)
    assert acked(ada.post(body, ada.signed(body, envelope["message_id"], at=at)))


@pytest.mark.parametrize("seconds", [-302, 302])
def test_it_refuses_what_was_signed_earlier_or_later_g30(ada, rows, seconds) -> None:
    envelope = ada.envelope("task_request", request())
    body = json.dumps(envelope).encode()
    at = datetime.now(UTC) + timedelta(seconds=seconds)
    before = rows()
    response = ada.post(body, ada.signed(body, envelope["message_id"], at=at))
    assert refused(response) == 5008
    assert rows() == before


@pytest.mark.parametrize("seen", ["agent:ada", "agent:eve"])
def test_it_refuses_a_signature_of_somebody_else_without_detail(
    ada, eve, rows, seen
) -> None:
    envelope = ada.envelope("task_request", request(), sender=seen)
    other = eve if seen == "agent:ada" else ada
    body, before = json.dumps(envelope).encode(), rows()
    response = other.post(body, other.signed(body, envelope["message_id"]))
    assert refused(response) == 5007
    nack = json.loads(response.content)
    assert nack["payload"]["error"]["details"] == {}
    assert nack["recipient"] == seen
    assert signing.SIGNATURE_HEADER not in response.headers
    assert rows() == before


def test_it_refuses_an_unknown_agent_like_a_bad_signature(ada, rows) -> None:
    envelope = ada.envelope("task_request", request())
    body = json.dumps(envelope | {"sender": "agent:nobody"}).encode()
    before = rows()
    unknown = ada.post(body, ada.signed(body, envelope["message_id"]))
    body = json.dumps(envelope).encode()
    bad = ada.post(body, ada.signed(body + b" ", envelope["message_id"]))
    shown = [json.loads(one.content)["payload"] for one in (unknown, bad)]
    assert shown[0] == shown[1]
    assert (unknown.status_code, rows()) == (bad.status_code, before)


def test_it_refuses_a_disabled_agent(ada, rows) -> None:
    ada.row.state = "disabled"
    ada.row.save()
    before = rows()
    assert refused(ada.say("task_request", request())) == 5007
    assert rows() == before


def test_it_hears_a_draining_agent(ada) -> None:
    ada.row.state = "draining"
    ada.row.save()
    assert acked(ada.say("task_request", request()))


@pytest.mark.parametrize("sender", ["caller:ada", "desk:ada"])
def test_it_hears_agents_only(ada, rows, sender) -> None:
    before = rows()
    assert refused(ada.say("task_request", request(), sender=sender)) == 5007
    assert rows() == before


@pytest.mark.parametrize(
    "drop", ["webhook-id", "webhook-timestamp", "webhook-signature"]
)
def test_it_refuses_a_request_without_one_of_the_headers(ada, rows, drop) -> None:
    envelope = ada.envelope("task_request", request())
    body = json.dumps(envelope).encode()
    headers = ada.signed(body, envelope["message_id"])
    del headers[drop]
    before = rows()
    assert refused(ada.post(body, headers)) == 5007
    assert rows() == before


def test_it_refuses_another_id_in_the_header(ada, rows) -> None:
    body, before = json.dumps(ada.envelope("task_request", request())).encode(), rows()
    assert refused(ada.post(body, ada.signed(body, "another"))) == 5007
    assert rows() == before


def test_it_refuses_what_is_no_envelope(ada, rows) -> None:
    before = rows()
    for body in (b" ", b"{}", b"[1]", b"\xff", b'{"\\ud800": 1}', b"[" * 100_000):
        assert refused(ada.post(body, {})) in (6001, 6004)
    assert rows() == before


def test_it_refuses_too_large_a_body(ada, settings) -> None:
    settings.SYNAPSE_MAX_BODY_SIZE = 1000
    response = ada.post(b" " * 100_000, {})
    assert (refused(response), response.status_code) == (1016, 413)


def test_it_refuses_other_content_types(ada) -> None:
    assert refused(ada.post(b"{}", {}, "text/plain")) == 1015


def test_it_refuses_other_methods_with_a_nack(ada) -> None:
    response = ada._client.put("/api/v1/synapse/a2a/messages")
    assert (refused(response), response.status_code) == (1013, 405)


@pytest.mark.parametrize(
    ("change", "code", "detail"),
    [({"type": "p2p:nope"}, 6002, "supported"), ({"version": "99.0.0"}, 6004, None)],
)
def test_it_tells_a_verified_peer_what_it_does_not_know_g36(
    ada, change, code, detail
) -> None:
    response = ada.say("task_cancel", {"task_id": "t"}, **change)
    assert refused(response) == code
    error = ada.read(response)["payload"]["error"]
    assert detail is None or "p2p:task_request" in error["details"][detail]


def test_it_lists_its_task_types_for_an_unknown_one_g36(ada, eve) -> None:
    eve.row.capabilities = {"supported_task_types": [{"type": "paint"}]}
    eve.row.save()
    response = ada.say("task_request", request(task_type="paint"))
    assert (refused(response), response.status_code) == (4001, 422)
    supported = ada.read(response)["payload"]["error"]["details"]["supported"]
    assert "probe_echo" in supported
    assert "paint" not in supported


def test_it_refuses_a_message_for_another_node(ada) -> None:
    response = ada.say("task_request", request(), recipient="agent:other")
    assert refused(response) == 6001
    assert not Task.objects.exists()


def test_it_accepts_both_secrets_while_one_is_replaced_g37(ada) -> None:
    old, sealed = ada.secret, ada.row.secrets[0]
    ada.secret = signing.new_secret()
    ada.row.secrets = [_sealed(ada.secret), sealed]
    ada.row.save()
    new = ada.say("task_request", request("new"))
    assert acked(new)
    assert ada.read(new)
    ada.secret = old
    response = ada.say("task_request", request("old"))
    assert acked(response)
    assert ada.read(response)  # A peer that only knows the old one trusts the answer.


def test_it_loses_no_message_while_a_secret_is_replaced_g37(ada) -> None:
    """Node first, then the peer, then the old one goes: at every step both trust."""
    said = [ada.say("task_request", request("before"))]
    read = [ada.read(said[-1])]
    new = peers.rotate_secret(ada.row)
    said.append(ada.say("task_request", request("node has both")))
    read.append(ada.read(said[-1]))
    read.append(ada.mailbox())
    ada.secret = new
    said.append(ada.say("task_request", request("peer has the new one")))
    read.append(ada.read(said[-1]))
    read.append(ada.mailbox())
    assert peers.drop_old_secret(ada.row)
    said.append(ada.say("task_request", request("old one is gone")))
    read.append(ada.read(said[-1]))
    assert all(acked(one) for one in said)
    assert len(read) == 6
    assert Task.objects.count() == 4


def test_it_refuses_the_old_secret_once_it_is_removed_g37(ada) -> None:
    ada.row.secrets = [_sealed(signing.new_secret())]
    ada.row.save()
    assert refused(ada.say("task_request", request())) == 5007


def test_it_trusts_nobody_whose_secret_cannot_be_opened(ada, caplog) -> None:
    ada.row.secrets = ["damaged"]
    ada.row.save()
    assert refused(ada.say("task_request", request())) == 5007
    assert "agent ada cannot be opened" in caplog.text


def test_it_answers_a_number_that_fits_no_column(ada, for_ada) -> None:
    question = {
        "task_id": str(for_ada.pk),
        "missing_fields": ["colour"],
        "reason": "?",
        "version": 10**30,
    }
    assert refused(ada.say("task_need_info", question)) == 1018
    assert not Received.objects.exists()


def _sealed(secret: str) -> str:
    return vault().seal(secret)
