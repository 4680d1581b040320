"""What is an envelope and what is none (docs/protocol.md, "Envelope")."""

from agents_app.conformance.signatures import heartbeat
from agents_app.conformance.speaker import Speaker
from agents_app.conformance.verdicts import Findings, Found
from agents_app.protocol import ids, jsontext
from agents_app.protocol.messages import MessageType

_NONE = "nack 6001"
# The largest payload of P2A, the room for an envelope, and one byte.
_TOO_MUCH = 1024 * 1024 + 64 * 1024 + 1
_REQUIRED = ("message_id", "sender", "recipient", "timestamp", "payload")


def check(me: Speaker) -> Findings:
    """What every implementation has to answer."""
    for what, text in (
        ("no JSON", b"hello"),
        ("half an object", b'{"protocol": '),
        ("an array", b"[]"),
    ):
        yield Found(what, _NONE, _raw(me, text))
    for version, expected in (("1.9.17", "ack"), ("2.0.0", "nack 6004")):
        seen = me.say("heartbeat", heartbeat(me), version=version).text
        yield Found(f"version {version}", expected, seen)
    seen = me.say("heartbeat", heartbeat(me), protocol="other").text
    yield Found("another protocol", "nack 6004", seen)
    yield from _types(me)
    for what, fields, expected in (
        ("for another recipient", {"recipient": "agent:somebody-else"}, _NONE),
        ("a payload that is no object", {"payload": [1]}, _NONE),
        ("an unknown field", {"shoe_size": 43}, "ack"),
    ):
        message = me.envelope("heartbeat", heartbeat(me)) | fields
        yield Found(what, expected, me.send(message).text)
    seen = me.say("heartbeat", heartbeat(me) | {"mood": "fine"}).text
    yield Found("an unknown field of the payload", "ack", seen)


def check_strictly(me: Speaker) -> Findings:
    """What a node is careful about besides."""
    deep = b'{"a":' * 100 + b"1" + b"}" * 100
    for what, text in (
        ("a byte order mark", b"\xef\xbb\xbf{}"),
        ("a key twice", b'{"a": 1, "a": 2}'),
        ("NaN", b'{"a": NaN}'),
        ("100 levels deep", deep),
        ("a NUL", b'{"a": "\\u0000"}'),
        ("a lone surrogate", b'{"a": "\\ud800"}'),
        ("nothing", b""),
        ("not UTF-8", b'{"a": "\xff"}'),
    ):
        yield Found(what, _NONE, _raw(me, text))
    for field in _REQUIRED:
        message = me.envelope("heartbeat", heartbeat(me))
        name = str(message.pop("message_id"))
        if field != "message_id":
            message["message_id"] = name
            del message[field]
        body = jsontext.dumps(message)
        seen = me.post(body, me.signed(body, name)).text
        yield Found(f"without {field}", _NONE, seen)
    name = ids.new_message_id()
    seen = me.post(b"{}", me.signed(b"{}", name), content_type="text/plain").text
    yield Found("another content type", "nack 1015", seen)
    huge = b"{}" + b" " * _TOO_MUCH
    yield Found("too large", "nack 1016", me.post(huge, me.signed(huge, name)).text)
    seen = me.post(b"{}", me.signed(b"{}", name), method="PUT").text
    yield Found("another method", "nack 1013", seen)


def _types(me: Speaker) -> Findings:
    heard = me.say("nope", heartbeat(me))
    yield Found("an unknown type", "nack 6002", heard.text)
    known = set(heard.details.get("supported", ()))
    missing = ", ".join(sorted(set(MessageType) - known)) or "none"
    yield Found("types missing in its list of known ones", "none", missing)


def _raw(me: Speaker, text: bytes) -> str:
    signable = text if text.isascii() else b""
    return me.post(text, me.signed(signable, ids.new_message_id())).text
