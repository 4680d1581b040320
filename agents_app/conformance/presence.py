"""Heartbeats and capabilities (docs/protocol.md, "Presence", "Capabilities")."""

from agents_app.conformance.mail import Mail
from agents_app.conformance.signatures import heartbeat
from agents_app.conformance.speaker import Json, Speaker
from agents_app.conformance.verdicts import Findings, Found


def card(me: Speaker, *task_types: str) -> Json:
    """What the checker says that it can do."""
    return {
        "agent_id": me.name,
        "agent_name": "Conformance checker",
        "protocol_version": "1.0.0",
        "supported_task_types": [{"type": name} for name in task_types],
    }


def check(me: Speaker) -> Findings:
    good, bad = heartbeat(me), "nack 1011"
    for what, change, expected in (
        ("a heartbeat", {}, "ack"),
        ("of another agent", {"agent_id": "another"}, bad),
        ("status draining", {"status": "draining"}, "ack"),
        ("status overloaded", {"status": "overloaded"}, "ack"),
        ("status unheard of", {"status": "sleepy"}, bad),
        ("fewer than none active", {"active": -1}, bad),
        ("a number as text", {"capacity": "4"}, bad),
        ("a number with a point", {"capacity": 4.0}, bad),
        ("a truth for a number", {"active": True}, bad),
    ):
        yield Found(what, expected, me.say("heartbeat", good | change).text)
    me.say("heartbeat", good)
    yield from _cards(me)


def _cards(me: Speaker) -> Findings:
    twice = [{"type": "x"}, {"type": "x"}]
    broken = [{"type": "x", "input_schema": '{"type": 7}'}]
    for what, payload, expected in (
        ("a card", card(me, "x"), "ack"),
        ("the card of another", card(me) | {"agent_id": "another"}, "nack 1011"),
        ("a type twice", card(me) | {"supported_task_types": twice}, "nack 1011"),
        ("a broken schema", card(me) | {"supported_task_types": broken}, "nack 4006"),
        ("an empty card", card(me), "ack"),
    ):
        yield Found(what, expected, me.say("capability_response", payload).text)


def check_query(me: Speaker, mail: Mail) -> Findings:
    """The node says what it can do."""
    queries: dict[str, Json] = {"all": {}, "none": {"task_types": []}}
    for what, words in queries.items():
        query = me.envelope("capability_query", words)
        yield Found(f"asking for {what}", "ack", me.send(query).text)
        answer = mail.wait_for(
            "capability_response", in_reply_to=str(query["message_id"])
        )
        of = f"agent:{answer['payload']['agent_id']}" if answer else "no answer"
        yield Found(f"the answer about {what}", me.other, of)
        offers = answer["payload"]["supported_task_types"] if answer else ["?"]
        if words:
            yield Found("types when none were asked for", "0", str(len(offers)))
