"""Who may say what about which task (A2A chapter 3, G33)."""

from collections.abc import Mapping

from agents_app.conformance.asking import request
from agents_app.conformance.mail import Mail
from agents_app.conformance.speaker import Json, Speaker
from agents_app.conformance.verdicts import Findings, Found
from agents_app.protocol.messages import MESSAGES, Side

_ERROR = {"code": 2006, "message": "It broke."}
_DECIDED = {"user_id": "checker", "role": "operator"}

# What each message about a task needs besides its `task_id`.
WORDS: Mapping[str, Json] = {
    "task_confirm": {},
    "task_reject": {"reason": _ERROR},
    "task_status_update": {"status": "executing", "progress": 10},
    "task_complete": {"result": {}},
    "task_failed": {"error": _ERROR},
    "task_cancel": {},
    "task_ack": {"acked_type": "p2p:task_complete"},
    "task_need_info": {"missing_fields": ["colour"], "reason": "Which?"},
    "task_info_provided": {"provided_info": {"colour": "red"}},
    "task_need_human": {"escalation_level": 1, "reason": {"summary": "May I?"}},
    "human_decision": {"decision": {"action": "approve"}, "decided_by": _DECIDED},
}


def of_executor() -> list[str]:
    """The messages that only an executor sends."""
    return _said_by(Side.EXECUTOR)


def of_requester() -> list[str]:
    """The messages that only a requester sends, but the request."""
    return [kind for kind in _said_by(Side.REQUESTER) if kind != "task_request"]


def check_unknown(me: Speaker, kinds: list[str]) -> Findings:
    """About a task that nobody has."""
    for kind in kinds:
        words = {"task_id": "never heard of", **WORDS[kind]}
        yield Found(f"{kind} about no task", "nack 2001", me.say(kind, words).text)


def check_fields(me: Speaker) -> Findings:
    """Payloads that are not as their type says."""
    for kind, change in (
        ("task_status_update", {"progress": 101}),
        ("task_status_update", {"progress": "50"}),
        ("task_status_update", {"progress": True}),
        ("task_status_update", {"eta": "soon"}),
        ("task_complete", {"result": []}),
        ("task_failed", {"error": "broken"}),
        ("task_failed", {"error": {"code": 1, "message": ""}}),
        ("task_need_info", {"missing_fields": []}),
        ("task_need_human", {"escalation_level": 4}),
        ("task_need_human", {"options": ["same", "same"]}),
    ):
        words = {"task_id": "never heard of", **WORDS[kind], **change}
        seen = me.say(kind, words).text
        yield Found(f"{kind} with {change}", "nack 1011", seen)


def check_own(
    me: Speaker,
    other: Speaker | None,
    task_type: str,
    payload: Mapping[str, object],
    mail: Mail,
) -> Findings:
    """A task of ours at the node: not in the executor's words, and not for others."""
    asked = request(task_type, payload)
    me.say("task_request", asked)
    for kind in of_executor():
        words = {"task_id": asked["task_id"], **WORDS[kind]}
        seen = me.say(kind, words).text
        yield Found(f"{kind} about a task that we asked for", "nack 6003", seen)
    if other is None:
        return
    for kind in WORDS:
        words = {"task_id": asked["task_id"], **WORDS[kind]}
        seen = other.say(kind, words).text
        yield Found(f"{kind} by another agent", "nack 2001", seen)
    seen = other.get(f"/tasks/{asked['task_id']}").text
    yield Found("the status query of another agent", "nack 2001", seen)
    seen = other.say("task_request", asked).text
    yield Found("the same task_id by another agent", "ack", seen)
    end = mail.wait_for("task_complete", task_id=asked["task_id"])
    yield Found("the task ends all the same", "yes", "yes" if end else "no")


def _said_by(side: Side) -> list[str]:
    return [
        kind.removeprefix("p2p:")
        for kind, spec in MESSAGES.items()
        if spec.sender is side
    ]
