"""The node asks, we execute: every pair of state and executor message (A2A chapter 4).

What is expected comes from the state table itself. Each pair gets a task of its own,
submitted over P2A, walked into the state, and ended afterwards.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import requests

from agents_app.conformance.mail import Mail
from agents_app.conformance.presence import card
from agents_app.conformance.sides import WORDS, of_requester
from agents_app.conformance.signatures import heartbeat
from agents_app.conformance.speaker import Json, Speaker
from agents_app.conformance.verdicts import Findings, Found
from agents_app.kit.link import TIMEOUT
from agents_app.protocol.errors import SynapseError
from agents_app.protocol.states import TERMINAL, Move, TaskState, next_state

_MOVES = {
    "task_confirm": Move.CONFIRM,
    "task_reject": Move.REJECT,
    "task_status_update": Move.EXECUTING,
    "task_need_info": Move.NEED_INFO,
    "task_need_human": Move.NEED_HUMAN,
    "task_complete": Move.COMPLETE,
    "task_failed": Move.FAIL,
}
# How to get there: our own messages, and what the caller does.
_INFO, _CANCEL = "the caller's information", "the caller's cancel"
_PATHS = {
    TaskState.PENDING: [],
    TaskState.CONFIRMED: ["task_confirm"],
    TaskState.EXECUTING: ["task_status_update"],
    TaskState.INFO_NEEDED: ["task_need_info"],
    TaskState.INFO_PROVIDED: ["task_need_info", _INFO],
    TaskState.NEED_HUMAN: ["task_need_human"],
    TaskState.COMPLETED: ["task_complete"],
    TaskState.FAILED: ["task_failed"],
    TaskState.REJECTED: ["task_reject"],
    TaskState.CANCELLED: [_CANCEL],
}


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A P2A caller of the node."""

    node_url: str
    key: str

    def post(self, path: str, body: Json) -> Json:
        reply = requests.post(
            f"{self.node_url.rstrip('/')}/api/v1/synapse{path}",
            json=body,
            headers={"X-API-Key": self.key},
            timeout=TIMEOUT,
        )
        answer: Json = reply.json()
        if not reply.ok:
            raise RuntimeError(f"POST {path}: {reply.status_code} {answer}")
        return answer


@dataclass(frozen=True, kw_only=True)
class Walk:
    """Tasks that the node gives to the checker."""

    me: Speaker
    caller: Caller
    task_type: str

    def begin(self) -> str:
        """A new task, `pending`."""
        pinned = {"agent_id": self.me.name, "payload": {}}
        body = {"task_type": self.task_type, **pinned}
        return str(self.caller.post("/task", body)["task_id"])

    def go(self, task_id: str, step: str) -> str:
        """One step of a path, or one message; what the node says to it."""
        if step == _INFO:
            facts = {"provided_info": {"colour": "red"}}
            self.caller.post(f"/task/{task_id}/info", facts)
            return "ack"
        if step == _CANCEL:
            self.caller.post(f"/task/{task_id}/cancel", {})
            return "ack"
        return self.me.say(step, {"task_id": task_id, **WORDS[step]}).text

    def state(self, task_id: str) -> str:
        return str(self.me.get(f"/tasks/{task_id}").payload.get("state"))

    def end(self, task_id: str) -> None:
        if self.state(task_id) not in TERMINAL:
            self.go(task_id, _CANCEL)


def check(me: Speaker, mail: Mail, caller: Caller) -> Findings:
    task_type = f"conformance_{uuid4().hex[:8]}"
    me.say("capability_response", card(me, task_type))
    me.say("heartbeat", heartbeat(me))
    walk = Walk(me=me, caller=caller, task_type=task_type)
    for state, path in _PATHS.items():
        for kind, move in _MOVES.items():
            yield from _pair(walk, state, path, kind, move)
        mail.fetch()
    yield from _as_executor(walk, mail)
    me.say("capability_response", card(me))
    mail.fetch()


def _pair(
    walk: Walk, state: TaskState, path: list[str], kind: str, move: Move
) -> Findings:
    task_id = walk.begin()
    for step in path:
        walk.go(task_id, step)
    try:
        expected = f"ack, {next_state(state, move)}"
    except SynapseError as refused:
        expected = f"nack {refused.code}, {state}"
    said = walk.go(task_id, kind)
    yield Found(f"{state}: {kind}", expected, f"{said}, {walk.state(task_id)}")
    walk.end(task_id)


def _as_executor(walk: Walk, mail: Mail) -> Findings:
    task_id = walk.begin()
    asked = mail.wait_for("task_request", task_id=task_id)
    yield Found("the request is in the mailbox", "yes", "yes" if asked else "no")
    for kind in of_requester():
        said = walk.go(task_id, kind)
        yield Found(f"{kind} about a task that we execute", "nack 6003", said)
    yield from _updates(walk, task_id)
    walk.go(task_id, "task_complete")
    acked = mail.wait_for("task_ack", task_id=task_id)
    yield Found("task_ack after task_complete", "yes", "yes" if acked else "no")
    cancelled = walk.begin()
    walk.go(cancelled, _CANCEL)
    told = mail.wait_for("task_cancel", task_id=cancelled)
    yield Found("a cancel of the caller comes to us", "yes", "yes" if told else "no")


def _updates(walk: Walk, task_id: str) -> Iterator[Found]:
    for status in ("completed", "need_human", "nonsense"):
        update: Json = {"task_id": task_id, "status": status}
        seen = walk.me.say("task_status_update", update).text
        yield Found(f"a status update to {status}", "nack 2003", seen)
    for progress, shown in ((70, 70), (30, 70)):
        words: Json = {"task_id": task_id, "status": "executing"}
        words["progress"] = progress
        walk.me.say("task_status_update", words)
        seen = str(walk.me.get(f"/tasks/{task_id}").payload.get("progress"))
        yield Found(f"the progress after {progress}", str(shown), seen)
