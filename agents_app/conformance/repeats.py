"""The same again, and something else under the same id (G31, G32)."""

from agents_app.conformance.signatures import heartbeat
from agents_app.conformance.speaker import Speaker
from agents_app.conformance.verdicts import Findings, Found
from agents_app.protocol import jsontext


def check(me: Speaker) -> Findings:
    """A heartbeat, and a message that has no effect."""
    yield from check_heartbeat(me)
    unknown = me.envelope("task_cancel", {"task_id": "never heard of"})
    body, name = jsontext.dumps(unknown), str(unknown["message_id"])
    heard = [me.post(body, me.signed(body, name)).body for _ in range(2)]
    seen = "the same answer" if heard[0] == heard[1] else "another answer"
    yield Found("a message without effect, twice", "the same answer", seen)


def check_heartbeat(me: Speaker) -> Findings:
    """Again, again later, and with other content."""
    envelope = me.envelope("heartbeat", heartbeat(me))
    name, body = str(envelope["message_id"]), jsontext.dumps(envelope)
    first = me.post(body, me.signed(body, name))
    yield Found("the first time", "ack", first.text)
    answers = {
        me.post(body, me.signed(body, name, late_s=late_s)).body for late_s in range(5)
    }
    seen = "the same answer" if answers == {first.body} else "other answers"
    yield Found("five times more, newly signed", "the same answer", seen)
    other = me.send(envelope | {"payload": heartbeat(me) | {"capacity": 999}}).text
    yield Found("another payload under its id", "nack 6005", other)
    spaced = body + b" "
    other = me.post(spaced, me.signed(spaced, name)).text
    yield Found("the same content in other bytes", "nack 6005", other)
    again = me.post(body, me.signed(body, name)).body == first.body
    seen = "the same answer" if again else "another answer"
    yield Found("the first bytes after that", "the same answer", seen)
