"""The envelope: read strictly, ignore the unknown, answer other versions."""

import json
from datetime import UTC, datetime

import pytest

from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.ids import MessageId
from agents_app.protocol.payloads import TaskConfirm

FIELDS = {
    "protocol": "synapse",
    "version": "1.0.0",
    "message_id": "m-1",
    "type": "p2p:task_confirm",
    "sender": "agent:worker",
    "recipient": "agent:gateway",
    "timestamp": "2025-10-09T08:53:20.123Z",
    "payload": {"task_id": "t-1"},
}


def _bytes(**changes):
    return json.dumps(FIELDS | changes).encode()


def _refused(raw):
    with pytest.raises(SynapseError) as refused:
        Envelope.from_bytes(raw)
    return refused.value


def test_it_reads_every_field():
    read = Envelope.from_bytes(_bytes(in_reply_to="m-0", trace="00-ab-cd-01"))
    assert read.type == "p2p:task_confirm"
    assert read.timestamp == datetime(2025, 10, 9, 8, 53, 20, 123000, UTC)
    assert (read.in_reply_to, read.trace) == ("m-0", "00-ab-cd-01")
    assert read.content() == TaskConfirm(task_id="t-1")


def test_it_writes_what_it_read():
    assert json.loads(Envelope.from_bytes(_bytes()).to_bytes()) == FIELDS


def test_it_keeps_fields_it_does_not_know():
    read = Envelope.from_bytes(_bytes(colour="red"))
    assert read.extra == {"colour": "red"}
    assert json.loads(read.to_bytes())["colour"] == "red"


def test_it_wraps_a_payload():
    message = Envelope.carrying(
        TaskConfirm(task_id="t-1"),
        message_id=MessageId("m-1"),
        sender="agent:worker",
        recipient="agent:gateway",
        timestamp=datetime(2025, 10, 9, 8, 53, 20, 123999, UTC),
    )
    assert json.loads(message.to_bytes()) == FIELDS


@pytest.mark.parametrize("version", ["1.0.0", "1.4.2"])
def test_it_accepts_the_same_major_version(version):
    assert Envelope.from_bytes(_bytes(version=version)).version == version


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "2.0.0"},
        {"version": "10.0.0"},
        {"version": "1"},
        {"version": 1},
        {"version": "1.0.0\n"},
        {"protocol": "other"},
        {"protocol": 99},
    ],
)
def test_it_answers_other_versions_with_ours(changes):
    error = _refused(_bytes(**changes))
    assert error.code is Code.VERSION_UNSUPPORTED
    assert error.details["supported"] == {"protocol": "synapse", "version": "1.0.0"}


def test_it_looks_at_the_version_before_anything_else():
    error = _refused(b'{"protocol":"synapse","version":"2.0.0"}')
    assert error.code is Code.VERSION_UNSUPPORTED


def test_it_answers_an_unknown_type_with_the_known_ones():
    error = _refused(_bytes(type="p2p:nope"))
    assert error.code is Code.UNKNOWN_MESSAGE_TYPE
    assert len(error.details["supported"]) == 17


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("message_id", ""),
        ("message_id", "x" * 129),
        ("message_id", "a b"),
        ("message_id", "é"),
        ("message_id", 5),
        ("type", None),
        ("sender", "worker"),
        ("sender", "robot:worker"),
        ("recipient", "agent:"),
        ("recipient", "agent:a b"),
        ("timestamp", "yesterday"),
        ("timestamp", 1760000000),
        ("timestamp", "2025-10-09T08:53:20"),
        ("in_reply_to", ""),
        ("trace", 5),
        ("payload", []),
        ("payload", None),
    ],
)
def test_it_names_the_field_that_does_not_fit(field, value):
    error = _refused(_bytes(**{field: value}))
    assert error.code is Code.ENVELOPE_INVALID
    assert set(error.details["fields"]) == {field}


@pytest.mark.parametrize("raw", [b"", b"\xff", b"null", b"[]", b'"x"', b"[" * 100_000])
def test_it_refuses_what_is_no_envelope_at_all(raw):
    assert _refused(raw).code is Code.ENVELOPE_INVALID


def test_it_says_where_the_json_is_wrong():
    raw = _bytes().replace(b'"t-1"', b'"t-1","task_id":"t-2"')
    assert _refused(raw).details == {"path": "payload.task_id"}
