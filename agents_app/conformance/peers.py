"""A node towards a peer's endpoint: it hears us, and does a task of ours."""

from collections.abc import Callable, Mapping

from agents_app.conformance.asking import request
from agents_app.conformance.sides import WORDS, check_unknown, of_executor
from agents_app.conformance.signatures import heartbeat
from agents_app.conformance.speaker import Json, Speaker
from agents_app.conformance.stage import Stage
from agents_app.conformance.verdicts import Findings, Found
from agents_app.protocol import jsontext
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError

Fits = Callable[[Envelope], bool]


def check_presence(me: Speaker, stage: Stage, within_s: float) -> Findings:
    """It says that it is there, and what it can do."""
    for kind in ("heartbeat", "capability_response"):
        heard = stage.wait_for(_of(kind), within_s)
        yield Found(f"{kind} on its own", "yes", "yes" if heard else "no")
    query = me.envelope("capability_query", {})
    yield Found("capability_query", "ack", me.send(query).text)
    name = query["message_id"]
    answer = stage.wait_for(lambda one: one.in_reply_to == name, within_s)
    agent = answer.payload.get("agent_id") if answer else "no answer"
    yield Found("its card is its own", me.other, f"agent:{agent}")
    harmless: dict[str, Json] = {
        "heartbeat": heartbeat(me),
        "ack": {"message_id": "never was"},
        "task_ack": {"task_id": "never was", "acked_type": "p2p:task_complete"},
    }
    for kind, words in harmless.items():
        yield Found(kind, "ack", me.say(kind, words).text)


def check_direction(me: Speaker) -> Findings:
    """An executor's words to the executor."""
    for kind in of_executor():
        words = {"task_id": "never was", **WORDS[kind]}
        seen = me.say(kind, words).text
        refused = "refused" if seen in ("nack 6003", "nack 2001") else seen
        yield Found(kind, "refused", refused)


def check_words(me: Speaker) -> Findings:
    """What it cannot do, or need not hear from a requester."""
    heard = me.say("task_request", request("no_such_type", {}))
    yield Found("an unknown task type", "nack 4001", heard.text)
    listed = isinstance(heard.details.get("supported"), list)
    yield Found("it lists those that it has", "yes", "yes" if listed else "no")
    changes: dict[str, Json] = {
        "without a task_type": {"task_type": ""},
        "a number for task_id": {"task_id": 7},
        "an array for payload": {"payload": []},
    }
    for what, change in changes.items():
        words = request("no_such_type", {}) | change
        yield Found(what, "nack 1011", me.say("task_request", words).text)
    yield from check_unknown(me, ["task_info_provided", "human_decision"])
    seen = me.say("task_cancel", {"task_id": "never was"}).text
    yield Found("task_cancel about no task", "ack", seen)


def check_a_task(
    me: Speaker,
    stage: Stage,
    task_type: str,
    payload: Mapping[str, object],
    within_s: float,
) -> Findings:
    """From the request to the end; the first confirm is refused for a while."""
    asked = request(task_type, payload)
    refusing = _Refusing("task_confirm", asked["task_id"])
    stage.judge = refusing
    envelope = me.envelope("task_request", asked)
    body, name = jsontext.dumps(envelope), str(envelope["message_id"])
    first = me.post(body, me.signed(body, name))
    yield Found("task_request", "ack", first.text)
    again = me.post(body, me.signed(body, name))
    same = "the same answer" if again.body == first.body else "another answer"
    yield Found("the same bytes again", "the same answer", same)
    other = me.send(envelope | {"payload": asked | {"priority": "low"}}).text
    yield Found("another payload under its id", "nack 6005", other)
    seen = me.say("task_request", asked).text
    yield Found("the same request in a new envelope", "ack", seen)
    end = stage.wait_for(_of("task_complete", asked), within_s)
    yield Found("it completes", "yes", "yes" if end else "no")
    said = [one for one in stage.heard if _of("task_confirm", asked)(one)]
    yield Found("task_confirm, stored", "1", str(len(said)))
    again_id = [one.message_id for one in said] == [refusing.refused]
    yield Found("it came again under the same id", "yes", "yes" if again_id else "no")
    stage.judge = lambda envelope: None
    words = {"task_id": asked["task_id"], "acked_type": "p2p:task_complete"}
    yield Found("task_ack", "ack", me.say("task_ack", words).text)


class _Refusing:
    """Nacks the first message of a kind with what may pass, and takes the next."""

    def __init__(self, kind: str, task_id: object) -> None:
        self._fits = _of(kind, {"task_id": task_id})
        self.refused: str | None = None

    def __call__(self, envelope: Envelope) -> None:
        if self.refused is None and self._fits(envelope):
            self.refused = envelope.message_id
            raise SynapseError(Code.DATABASE_UNAVAILABLE)


def _of(kind: str, about: Json | None = None) -> Fits:
    task_id = about["task_id"] if about else None

    def fits(envelope: Envelope) -> bool:
        named = envelope.payload.get("task_id")
        return envelope.type == f"p2p:{kind}" and task_id in (None, named)

    return fits
