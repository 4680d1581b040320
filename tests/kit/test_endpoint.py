"""An agent that can be called: only the node's word counts, each message once."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import requests

from agents_app.kit.endpoint import MAX_BYTES, Endpoint
from agents_app.kit.link import Link, Undelivered
from agents_app.protocol import signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.payloads import Ack, CapabilityQuery, TaskCancel, TaskRequest
from tests.kit.conftest import SECRET


@pytest.fixture
def there(ada) -> Iterator[Endpoint]:
    ada.handles("paint")(lambda task: {"done": True})
    with ada.endpoint() as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, args=(0.02,))
        thread.start()
        yield endpoint
        endpoint.shutdown()
        thread.join()


@pytest.fixture
def line(node, there) -> Link:
    """What the node says to ada."""
    return Link(
        address="agent:synapse",
        secrets=[SECRET],
        node_url=there.url,
        node_address="agent:ada",
        retry_s=(),
    )


def post(there, line, envelope, *, at=None, body=None, secret=SECRET):
    body = body or envelope.to_bytes()
    headers = signing.sign(
        message_id=envelope.message_id,
        timestamp=at or datetime.now(UTC),
        body=body,
        secrets=[secret],
    )
    headers["Content-Type"] = "application/json"
    return requests.post(there.url, data=body, headers=headers, timeout=5)


def refused(reply) -> int:
    return Envelope.from_bytes(reply.content).content().error.code


def test_it_does_a_task_that_comes_to_its_endpoint(node, line) -> None:
    asked = line.envelope(TaskRequest(task_id="t1", task_type="paint", payload={}))
    assert isinstance(line.send(asked), Ack)
    done = node.wait_for(lambda one: one.type == "p2p:task_complete")
    assert done.content().result == {"done": True}


def test_it_gives_repeats_the_same_answer(node, there, line) -> None:
    asked = line.envelope(TaskRequest(task_id="t1", task_type="paint", payload={}))
    answers = {post(there, line, asked).content for _ in range(5)}
    assert len(answers) == 1
    assert node.wait_for(lambda one: one.type == "p2p:task_complete")
    assert [one.type for one in node.heard].count("p2p:task_confirm") == 1


def test_it_refuses_other_content_under_the_same_id(there, line) -> None:
    asked = line.envelope(CapabilityQuery())
    assert post(there, line, asked).status_code == 200
    other = asked.model_copy(update={"payload": {"task_types": []}})
    reply = post(there, line, other)
    assert (reply.status_code, refused(reply)) == (409, 6005)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (TaskRequest(task_id="t1", task_type="sing", payload={}), 4001),
        (TaskCancel(task_id="never heard of"), None),
    ],
)
def test_it_answers_what_it_cannot_do(there, line, words, code) -> None:
    reply = post(there, line, line.envelope(words))
    assert (code is None) == (reply.status_code == 200)
    assert code is None or refused(reply) == code


@pytest.mark.parametrize("minutes", [-6, 6])
def test_it_refuses_another_time(there, line, minutes) -> None:
    at = datetime.now(UTC) + timedelta(minutes=minutes)
    reply = post(there, line, line.envelope(CapabilityQuery()), at=at)
    assert (reply.status_code, refused(reply)) == (401, 5008)
    assert "webhook-signature" not in reply.headers


def test_it_refuses_who_has_another_secret(there, line) -> None:
    stranger = signing.new_secret()
    reply = post(there, line, line.envelope(CapabilityQuery()), secret=stranger)
    assert refused(reply) == 5007


@pytest.mark.parametrize("change", [{"sender": "agent:eve"}, {"recipient": "agent:b"}])
def test_it_hears_its_node_only_and_only_for_itself(there, line, change) -> None:
    envelope = line.envelope(CapabilityQuery()).model_copy(update=change)
    assert post(there, line, envelope).status_code in (400, 401)


def test_it_answers_what_is_no_envelope(there, line) -> None:
    reply = post(there, line, line.envelope(CapabilityQuery()), body=b"[]")
    assert (reply.status_code, refused(reply)) == (400, 6001)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Length": str(MAX_BYTES + 1)}, 413),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Length": "x"}, 411),
    ],
)
def test_it_does_not_read_other_requests(there, headers, status) -> None:
    reply = requests.post(
        there.url, headers={"Content-Type": "application/json"} | headers, timeout=5
    )
    assert reply.status_code == status


def test_it_trusts_a_signed_answer_only(there) -> None:
    stranger = Link(
        address="agent:synapse",
        secrets=[signing.new_secret()],
        node_url=there.url,
        node_address="agent:ada",
        retry_s=(),
    )
    with pytest.raises(Undelivered):
        stranger.send(stranger.envelope(CapabilityQuery()))
