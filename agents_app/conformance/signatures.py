"""Who may speak: bytes, ids, clocks, secrets (docs/protocol.md, "Signature")."""

from agents_app.conformance.speaker import Json, Speaker
from agents_app.conformance.verdicts import Findings, Found
from agents_app.protocol import ids, jsontext, signing

_REFUSED = "nack 5007"


def heartbeat(of: Speaker) -> Json:
    """A payload that does no harm."""
    return {"agent_id": of.name, "status": "ok", "active": 0, "capacity": 1000}


def check(me: Speaker) -> Findings:
    envelope = me.envelope("heartbeat", heartbeat(me))
    body, name = jsontext.dumps(envelope), str(envelope["message_id"])
    yield from _headers(me, body, name)
    yield from _clocks(me)
    yield from _secrets(me)
    yield Found("odd spacing, signed as it is", "ack", _spaced(me))
    for sender in ("agent:nobody-knows-me", "caller:me", "desk:me", me.other):
        seen = me.say("heartbeat", heartbeat(me), sender=sender).text
        yield Found(f"sender {sender}", _REFUSED, seen)


def _headers(me: Speaker, body: bytes, name: str) -> Findings:
    good = me.signed(body, name)
    for header in good:
        rest = {key: value for key, value in good.items() if key != header}
        yield Found(f"without {header}", _REFUSED, me.post(body, rest).text)
    changes = {
        "one byte changed": (body.replace(b"1000", b"1001"), good),
        "another id in the header": (body, good | {signing.ID_HEADER: "another"}),
        "signed under another id": (body, me.signed(body, "another")),
        "signature cut": (body, good | {signing.SIGNATURE_HEADER: "v1,abc"}),
        "signature not ASCII": (body, good | {signing.SIGNATURE_HEADER: "v1,\xe9"}),
        "signature empty": (body, good | {signing.SIGNATURE_HEADER: ""}),
        "timestamp no number": (body, good | {signing.TIMESTAMP_HEADER: "now"}),
    }
    for what, (sent, headers) in changes.items():
        yield Found(what, _REFUSED, me.post(sent, headers).text)


def _clocks(me: Speaker) -> Findings:
    for late_s, expected in (
        (-290, "ack"),
        (290, "ack"),
        (-310, "nack 5008"),
        (310, "nack 5008"),
        (60 * 60 * 24 * 365 * 40, "nack 5008"),
    ):
        envelope = me.envelope("heartbeat", heartbeat(me))
        body = jsontext.dumps(envelope)
        headers = me.signed(body, str(envelope["message_id"]), late_s=late_s)
        seen = me.post(body, headers).text
        yield Found(f"clock {late_s:+d} s", expected, seen)


def _secrets(me: Speaker) -> Findings:
    stranger = signing.new_secret()
    for what, secrets, expected in (
        ("another secret", [stranger], _REFUSED),
        ("two signatures, the second is right", [stranger, me.secret], "ack"),
    ):
        envelope = me.envelope("heartbeat", heartbeat(me))
        body = jsontext.dumps(envelope)
        headers = me.signed(body, str(envelope["message_id"]), secrets=secrets)
        yield Found(what, expected, me.post(body, headers).text)
    envelope = me.envelope("heartbeat", heartbeat(me))
    body = jsontext.dumps(envelope)
    headers = me.signed(body, str(envelope["message_id"]))
    headers[signing.SIGNATURE_HEADER] = f"v9,abc {headers[signing.SIGNATURE_HEADER]}"
    seen = me.post(body, headers).text
    yield Found("a signature of an unknown version beside ours", "ack", seen)


def _spaced(me: Speaker) -> str:
    envelope = me.envelope("heartbeat", heartbeat(me))
    body = b" " + jsontext.dumps(envelope).replace(b'":', b'" :\t') + b"\r\n"
    return me.post(body, me.signed(body, str(envelope["message_id"]))).text


def check_gets(me: Speaker) -> Findings:
    """The same for requests without a body."""
    good = me.signed(b"", ids.new_message_id()) | {"x-synapse-agent": me.address}
    for path in ("/messages", "/tasks/nope"):
        seen = me.get(path, headers={}).text
        yield Found(f"GET {path} unsigned", _REFUSED, seen)
        seen = me.get(path, headers=good | {"x-synapse-agent": "agent:nobody"}).text
        yield Found(f"GET {path} as somebody else", _REFUSED, seen)
        wrong = me.signed(b"x", ids.new_message_id())
        seen = me.get(path, headers=good | wrong).text
        yield Found(f"GET {path} with the signature of a body", _REFUSED, seen)
    yield Found("GET /messages signed", "ok", me.get("/messages").text)
