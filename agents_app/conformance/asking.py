"""We ask, the node executes: requests, answers, cancels (A2A 5.1 to 5.4)."""

import json
from collections.abc import Mapping
from uuid import uuid4

from agents_app.conformance.mail import Mail
from agents_app.conformance.speaker import Json, Speaker
from agents_app.conformance.verdicts import Findings, Found

_ENDS = ("task_complete", "task_failed", "task_reject")


def request(task_type: str, payload: Mapping[str, object], **fields: object) -> Json:
    """A new task of ours."""
    task_id = f"check-{uuid4().hex}"
    asked = {"task_id": task_id, "task_type": task_type, "payload": dict(payload)}
    return asked | fields


def check_requests(me: Speaker) -> Findings:
    """Requests that lead to nothing."""
    heard = me.say("task_request", request("no_such_type", {}))
    yield Found("an unknown task type", "nack 4001", heard.text)
    listed = isinstance(heard.details.get("supported"), list)
    yield Found("it lists those that it has", "yes", "yes" if listed else "no")
    for what, change in (
        ("without task_id", {"task_id": None}),
        ("an empty task_id", {"task_id": ""}),
        ("a long task_id", {"task_id": "x" * 129}),
        ("a number for task_id", {"task_id": 7}),
        ("an array for payload", {"payload": []}),
        ("an unknown priority", {"priority": "now"}),
    ):
        words = {**request("no_such_type", {}), **change}
        words = {name: value for name, value in words.items() if value is not None}
        yield Found(what, "nack 1011", me.say("task_request", words).text)


def check_a_task(
    me: Speaker, mail: Mail, task_type: str, payload: Mapping[str, object]
) -> Findings:
    """One that completes by itself, from the request to what follows its end."""
    asked = request(task_type, payload)
    task_id = asked["task_id"]
    yield Found("task_request", "ack", me.say("task_request", asked).text)
    end = mail.wait_for(*_ENDS, task_id=task_id)
    yield Found("how it ends", "p2p:task_complete", end["type"] if end else "never")
    confirmed = mail.wait_for("task_confirm", task_id=task_id)
    yield Found("it was confirmed", "yes", "yes" if confirmed else "no")
    shown = me.get(f"/tasks/{task_id}").payload
    yield Found("its state", "completed", str(shown.get("state")))
    result = end["payload"].get("result") if end else None
    same = shown.get("result") == result
    yield Found("the status shows the result", "yes", "yes" if same else "no")
    again = me.say("task_request", asked).text
    yield Found("the same request in a new envelope", "ack", again)
    other = me.say("task_request", asked | {"priority": "low"}).text
    yield Found("another request under its id", "nack 2004", other)
    yield from _after_the_end(me, task_id)


def _after_the_end(me: Speaker, task_id: str) -> Findings:
    acked = {"task_id": task_id, "acked_type": "p2p:task_complete"}
    yield Found("task_ack", "ack", me.say("task_ack", acked).text)
    about = {"task_id": task_id}
    for kind, words in (
        ("task_cancel", {}),
        ("task_info_provided", {"provided_info": {"a": 1}}),
        ("human_decision", _decision("approve")),
    ):
        seen = me.say(kind, about | words).text
        yield Found(f"{kind} after its end", "nack 2002", seen)


def check_info(me: Speaker, mail: Mail) -> Findings:
    """`probe_need_info`: facts in parts, and facts that fit nothing."""
    asked = request("probe_need_info", {"fields": ["colour", "size"]})
    about = {"task_id": asked["task_id"]}
    me.say("task_request", asked)
    question = mail.wait_for("task_need_info", task_id=asked["task_id"])
    yield Found("it asks", "yes", "yes" if question else "no")
    if question is None:
        return
    one = {"request_id": question["payload"].get("request_id")}
    seen = me.say("human_decision", about | _decision("approve")).text
    yield Found("a decision for facts", "nack 2013", seen)
    parts: list[tuple[str, Json, str]] = [
        ("facts that were not asked for", {"taste": 1}, "nack 3002"),
        ("none at all", {}, "nack 3002"),
        ("some of them", {"colour": "red"}, "ack"),
    ]
    for what, facts, expected in parts:
        words = about | one | {"provided_info": facts}
        yield Found(what, expected, me.say("task_info_provided", words).text)
    state = me.get(f"/tasks/{asked['task_id']}").payload.get("state")
    yield Found("the state after some", "info_needed", str(state))
    words = about | one | {"provided_info": {"size": 9}}
    yield Found("the others", "ack", me.say("task_info_provided", words).text)
    end = mail.wait_for(*_ENDS, task_id=asked["task_id"])
    result = end["payload"].get("result", {}) if end else {}
    # Sorted: the keys of an object have no order, and databases change it.
    together = json.dumps({"colour": "red", "size": 9}, sort_keys=True)
    told = json.dumps(result.get("provided"), sort_keys=True)
    yield Found("what it was told", together, told)


def check_human(me: Speaker, mail: Mail) -> Findings:
    """`probe_need_human`: decisions that were not offered, and one that was."""
    asked = request("probe_need_human", {"level": 2, "options": ["left", "right"]})
    about = {"task_id": asked["task_id"]}
    me.say("task_request", asked)
    question = mail.wait_for("task_need_human", task_id=asked["task_id"])
    yield Found("it asks", "yes", "yes" if question else "no")
    if question is None:
        return
    words = about | {"provided_info": {"a": 1}}
    seen = me.say("task_info_provided", words).text
    yield Found("facts for a decision", "nack 3001", seen)
    one = about | {"request_id": question["payload"].get("request_id")}
    for what, decision, expected in (
        ("of another question", _decision("approve") | {"request_id": "x"}, 2014),
        ("an option that is none", _decision("select", option_id="up"), 2016),
        ("select without an option", _decision("select"), 1011),
        ("modify without a value", _decision("modify"), 1011),
        ("an action that is none", _decision("shrug"), 1011),
    ):
        seen = me.say("human_decision", one | decision).text
        yield Found(f"a decision {what}", f"nack {expected}", seen)
    words = one | _decision("select", option_id="right")
    yield Found("a decision", "ack", me.say("human_decision", words).text)
    seen = me.say("human_decision", words).text
    late = seen in ("nack 2013", "nack 2002")
    yield Found("another one", "too late", "too late" if late else seen)
    end = mail.wait_for(*_ENDS, task_id=asked["task_id"])
    result = end["payload"].get("result", {}) if end else {}
    yield Found("what was decided", "right", str(result.get("option_id")))


def check_cancel(me: Speaker, mail: Mail) -> Findings:
    """`probe_sleep`, cancelled while it runs; `probe_fail`, which fails."""
    asked = request("probe_sleep", {"seconds": 60})
    about = {"task_id": asked["task_id"]}
    me.say("task_request", asked)
    mail.wait_for("task_status_update", task_id=asked["task_id"])
    yield Found("a cancel", "ack", me.say("task_cancel", about).text)
    state = me.get(f"/tasks/{asked['task_id']}").payload.get("state")
    yield Found("its state", "cancelled", str(state))
    acked = mail.wait_for("task_ack", task_id=asked["task_id"])
    yield Found("it is acknowledged", "yes", "yes" if acked else "no")
    again = me.say("task_cancel", about).text
    yield Found("another cancel", "nack 2002", again)
    failing = request("probe_fail", {"message": "As asked."})
    me.say("task_request", failing)
    end = mail.wait_for(*_ENDS, task_id=failing["task_id"])
    yield Found("a failure", "p2p:task_failed", end["type"] if end else "never")
    wrong = me.say("task_request", request("probe_sleep", {"seconds": "x"})).text
    yield Found("a payload that does not fit", "nack 4002", wrong)


def _decision(action: str, **fields: object) -> Json:
    return {
        "decision": {"action": action, **fields},
        "decided_by": {"user_id": "checker", "role": "operator"},
    }
