"""What each message type does. Only a peer's own tasks, only what its side may say."""

import hashlib
import uuid

from django.utils import timezone

from agents_app import registry
from agents_app.models import Agent
from agents_app.protocol import jsontext
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import Side, check_direction
from agents_app.protocol.payloads import (
    Ack,
    CapabilityQuery,
    CapabilityResponse,
    Heartbeat,
    HumanDecision,
    Nack,
    QuestionPayload,
    TaskComplete,
    TaskInfoProvided,
    TaskPayload,
    TaskRequest,
)
from tasks_app import delivery, desk, foreignfiles, ledger, lifecycle, presence
from tasks_app.changes import Change, Snapshot
from tasks_app.inbox import bounds
from tasks_app.lifecycle import Submission
from tasks_app.models import Task
from tasks_app.transition import heard


def apply(peer: Agent, envelope: Envelope) -> None:
    """Raises SynapseError when the message has no effect."""
    words = envelope.content()
    match words:
        case TaskRequest():
            _submit(peer, envelope, words)
        case TaskPayload():
            _about_task(peer, envelope, words)
        case Heartbeat():
            presence.heard(peer, words)
        case CapabilityQuery():
            bounds.check_unread(peer)
            presence.answer_query(peer, envelope, words)
        case CapabilityResponse():
            presence.learned(peer, words)
        case Ack():
            delivery.acknowledge(peer, words.message_id)
        case Nack():
            delivery.refuse(peer, words.message_id, words.error)


def _submit(peer: Agent, envelope: Envelope, words: TaskRequest) -> None:
    """A peer asks us (A2A 6.1); the same request again is the same task."""
    if registry.get(words.task_type) is None:
        # Not what `routing` says: no peer's task is handed on to another peer.
        offered = [spec.task_type for spec in registry.enabled_specs()]
        details = {"task_type": words.task_type, "supported": offered}
        raise SynapseError(Code.UNKNOWN_TASK_TYPE, details=details)
    bounds.check_room(peer, words.task_id)
    content = jsontext.dumps(words.to_json())
    lifecycle.submit(
        Submission(
            caller_id=None,
            requester=peer.address,
            requester_task_id=words.task_id,
            message_id=envelope.message_id,
            task_type=words.task_type,
            payload=words.payload,
            priority=words.priority,
            attachments=foreignfiles.inputs(words.attachments, timezone.now()),
            fingerprint=hashlib.sha256(content).hexdigest(),
            agent_id=lifecycle.policy().node.partition(":")[2],
        )
    )


def _about_task(peer: Agent, envelope: Envelope, words: TaskPayload) -> None:
    task, side = find(peer, words.task_id)
    check_direction(envelope.type, side)
    bounds.check_talk(task, envelope.type)
    now = timezone.now()

    def plan(task: Snapshot) -> Change:
        if side is Side.EXECUTOR:
            change = heard.from_executor(
                task, words, now=now, policy=lifecycle.policy()
            )
        elif isinstance(words, TaskInfoProvided):
            change = desk.change_by_facts(
                task,
                words.provided_info,
                by=peer.address,
                named=_named(words, envelope),
                now=now,
            )
        elif isinstance(words, HumanDecision):
            named = _named(words, envelope)
            change = desk.change_by_peer(
                task, words, named=named, by=peer.address, now=now
            )
        else:
            change = heard.from_requester(
                task, words, now=now, policy=lifecycle.policy()
            )
        return heard.under_its_id(change, envelope)

    lifecycle.change(task.id, plan)
    if isinstance(words, TaskComplete):
        foreignfiles.expect_results(task.id, words.attachments)


def _named(answer: QuestionPayload, envelope: Envelope) -> desk.Named:
    return desk.Named(
        request_id=answer.request_id,
        version=answer.version,
        in_reply_to=envelope.in_reply_to,
    )


def find(peer: Agent, task_id: str) -> tuple[Snapshot, Side]:
    """The task and which side the peer is; TASK_NOT_FOUND also for others' (G33)."""
    ours = _as_uuid(task_id)
    task = ledger.load(ours) if ours else None
    if task is not None and task.executor == peer.address:
        return task, Side.EXECUTOR
    if "\0" in task_id:  # From a URL; PostgreSQL refuses even to compare it.
        raise SynapseError(Code.TASK_NOT_FOUND)
    theirs = Task.objects.filter(requester=peer.address, requester_task_id=task_id)
    found = theirs.values_list("id", flat=True).first()
    task = ledger.load(found) if found else None
    if task is None:
        raise SynapseError(Code.TASK_NOT_FOUND)
    return task, Side.REQUESTER


def _as_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
