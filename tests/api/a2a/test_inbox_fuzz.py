"""No input gives a 5xx (G36, G50), and nothing unsigned changes a row (G30 to G33)."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents_app.protocol import ids
from agents_app.protocol.messages import MessageType
from tests.api.a2a.speaking import NODE, Peer, refused

pytestmark = pytest.mark.django_db

_often = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
_scalar = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**31, max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
_json = st.recursive(
    _scalar,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=8,
)
# What payloads are made of, so that some of them fit.
_KNOWN: dict[str, st.SearchStrategy[Any]] = {
    "task_type": st.sampled_from(["probe_echo", "probe_need_info", "nope"]),
    "payload": st.dictionaries(st.text(max_size=5), _json, max_size=2),
    "priority": st.sampled_from(["low", "urgent", "none"]),
    "reason": st.fixed_dictionaries({"code": st.integers(), "message": st.text()})
    | st.text(max_size=5),
    "error": st.fixed_dictionaries(
        {"code": st.integers(1000, 9999), "message": st.text(max_size=5)}
    ),
    "status": st.sampled_from(["executing", "confirmed", "completed", "ok"]),
    "progress": st.integers(-1, 101),
    "eta": st.sampled_from(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "x"]),
    "result": st.dictionaries(st.text(max_size=5), _json, max_size=2),
    "missing_fields": st.lists(st.just("colour") | _json, max_size=2),
    "provided_info": st.dictionaries(st.just("colour"), _json, max_size=1),
    "escalation_level": st.integers(0, 4),
    "version": st.integers(1, 2**70),
    "request_id": st.text(max_size=130),
    "answer_within_s": st.integers(1, 2**70),
    "options": st.lists(st.just("yes") | _json, max_size=2),
    "decision": st.fixed_dictionaries({"action": st.sampled_from(["approve", "x"])}),
    "decided_by": st.just({"user_id": "u", "role": "operator"}),
    "acked_type": st.just("p2p:task_complete"),
    "agent_id": st.just("ada"),
    "agent_name": st.text(max_size=5),
    "protocol_version": st.just("1.0.0"),
    "supported_task_types": st.lists(st.just({"type": "paint"}) | _json, max_size=2),
    "active": st.integers(0, 2**70),
    "capacity": st.integers(0, 2**70),
    "message_id": st.text(max_size=130),
}


def _payloads(task_ids: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    ours = st.sampled_from(task_ids) | st.text(max_size=10)
    return st.fixed_dictionaries({}, optional={"task_id": ours} | _KNOWN)


@_often
@given(data=st.data())
def test_it_answers_whatever_a_peer_signs(ada, for_ada, data) -> None:
    kind = data.draw(st.sampled_from(list(MessageType)))
    payload = data.draw(_payloads([str(for_ada.pk), "t-1"]) | _json)
    body = json.dumps(ada.envelope("", payload, type=str(kind))).encode()
    envelope = json.loads(body)
    response = ada.post(body, ada.signed(body, envelope["message_id"]))
    assert response.status_code < 500, response.content
    if "webhook-signature" in response.headers:
        assert ada.read(response)["type"] in ("p2p:ack", "p2p:nack")
    else:
        assert refused(response) == 6001  # Not even its sender could be read.


@_often
@given(data=st.data())
def test_it_answers_any_signed_envelope(ada, data) -> None:
    fields = ada.envelope("heartbeat", {})
    changed = data.draw(st.dictionaries(st.sampled_from(sorted(fields)), _json))
    body = json.dumps(fields | changed | {"sender": ada.address}).encode()
    message_id = (fields | changed)["message_id"]
    signable = isinstance(message_id, str) and message_id.isascii()
    response = ada.post(
        body, ada.signed(body, message_id if signable else ids.new_message_id())
    )
    assert response.status_code < 500, response.content


@_often
@given(
    body=st.binary(max_size=200) | _json.map(lambda value: json.dumps(value).encode()),
    sender=st.sampled_from(["agent:ada", "agent:nobody", NODE]) | st.text(max_size=9),
    signature=st.text(
        st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"),
        max_size=40,
    ),
    timestamp=st.sampled_from(["0", "-1", "1e3", "9" * 20, "x"]),
    signed=st.booleans(),
)
def test_it_changes_nothing_for_unsigned_input(
    ada: Peer, for_ada, rows, body, sender, signature, timestamp, signed
) -> None:
    if signed:
        words = {"task_id": str(for_ada.pk), "result": {}}
        fields = ada.envelope("task_complete", words, sender=sender)
        body = json.dumps(fields | {"message_id": "m"}).encode()
    headers = ada.signed(body + b"!", "m") if _is_text(body) else {}
    if not signed:
        headers = {
            "webhook-id": "m",
            "webhook-timestamp": timestamp,
            "webhook-signature": signature,
        }
    before = rows()
    response = ada.post(body, headers)
    assert 400 <= response.status_code < 500, response.content
    assert rows() == before


@_often
@given(
    task_id=st.text(min_size=1, max_size=20),
    after=st.text(max_size=20),
    limit=st.text(max_size=20),
    name=st.text(max_size=5).map(lambda text: f"_{text}"),
)
def test_it_answers_any_signed_get(ada, task_id, after, limit, name) -> None:
    assert ada.get(f"/tasks/{quote(task_id, safe='')}").status_code < 500
    query = {"after": after, "limit": limit} | {name: ""}
    assert ada.get("/messages", **query).status_code < 500


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
