"""The spine: every change to a task goes through here.

    doors, runner, sweep → verb → transition (plan) → ledger.commit → ring

A verb reads the task, plans by the table, writes if nobody was faster, and rings after
the commit. Losing a race means reading again and planning again: the table then says
whether the move still makes sense.
"""

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from agents_app import registry
from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from agents_app.protocol.model import field_errors
from agents_app.protocol.payloads import Attachment, Priority, TaskRequest
from agents_app.protocol.states import Move, TaskState, next_state
from agents_app.registry import HandlerSpec
from tasks_app import ledger, queue, room
from tasks_app.changes import Change, Json, Logged, Snapshot, caller_address
from tasks_app.ledger import Candidate, NewAttachment, NewTask
from tasks_app.transition import attempts, desk
from tasks_app.transition.policy import Policy, queue_key

# A verb that keeps losing against others gives up with a retryable error.
_TRIES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A task as a caller wants it (P2A 6.1), its fields checked by the door."""

    caller_id: uuid.UUID
    task_type: str
    payload: Json
    priority: str = Priority.NORMAL
    external_task_id: str | None = None
    callback_url: str | None = None
    # Sealed by the vault.
    callback_token: str | None = None
    callback_events: tuple[str, ...] = ()
    idempotency_key: str | None = None
    # Of everything that the caller sent: same key and same fingerprint, same task.
    fingerprint: str = ""
    attachments: tuple[NewAttachment, ...] = ()
    retry_of_id: uuid.UUID | None = None


def policy() -> Policy:
    """The numbers of the settings that plans need."""
    return Policy(
        node=f"agent:{settings.SYNAPSE_AGENT_ID}",
        lease_s=settings.SYNAPSE_LEASE_SECONDS,
        max_queue_s=settings.SYNAPSE_MAX_QUEUE_SECONDS,
        answer_s=settings.SYNAPSE_ANSWER_SECONDS,
    )


def submit(wanted: Submission) -> tuple[Snapshot, bool]:
    """Store a task and ring its lane; the task, and whether it was there before.

    The second is True for a repeat under the same idempotency key. Raises
    UNKNOWN_TASK_TYPE, PAYLOAD_INVALID, IDEMPOTENCY_CONFLICT.
    """
    spec = _spec_for(wanted)
    now = timezone.now()
    # Twice at most: the second time an expired key has been set free.
    while not ledger.insert(new := _new_task(wanted, spec, now)):
        earlier = _earlier(wanted, now)
        if earlier is not None:
            return earlier, True
    queue.ring(new.task.lane)
    return new.task, False


def change(task_id: uuid.UUID, plan: Callable[[Snapshot], Change]) -> Change:
    """Read, plan, write; again while others are faster. The door of every verb.

    Raises TASK_NOT_FOUND, whatever `plan` raises, and CHANGED_MEANWHILE.
    """
    for _ in range(_TRIES):
        task = ledger.load(task_id)
        if task is None:
            raise SynapseError(Code.TASK_NOT_FOUND)
        planned = plan(task)
        if commit([planned]):
            return planned
    raise SynapseError(Code.CHANGED_MEANWHILE, retry_after=1)


def commit(changes: Sequence[Change]) -> set[uuid.UUID]:
    """Write the changes whose tasks are as they were seen, and ring for what is due."""
    written = ledger.commit(changes)
    for planned in changes:
        if planned.before.id in written:
            _ring_for(planned)
    return written


def cancel(task_id: uuid.UUID, *, by: str, reason: str = "") -> Snapshot:
    """End a live task for its requester; a cancelled one stays as it is (decisions 32).

    TASK_ENDED for a task that ended otherwise. The attempt that runs is fenced at once.
    """
    now = timezone.now()

    def plan(task: Snapshot) -> Change:
        return desk.cancel(task, by=by, reason=reason, now=now, policy=policy())

    try:
        return change(task_id, plan).after
    except SynapseError:
        task = ledger.load(task_id)
        if task is not None and task.state is TaskState.CANCELLED:
            return task
        raise


def claim(
    lane: str,
    *,
    worker: str,
    limit: int,
    fits: Callable[[Snapshot], bool],
    wake: bool = True,
) -> list[tuple[Candidate, Snapshot]]:
    """Take up to `limit` ready tasks of a lane for this worker, most urgent first.

    Only types this process knows, only while the type and the node are under their
    concurrency limits, and only while `fits` says that the next one belongs to the
    batch; ask for one more than can fit. Each comes with the row that its attempt
    starts from. `wake`: ring for another slot if there is more.
    """
    specs = {s.task_type: s for s in registry.enabled_specs() if s.lane == lane}
    if not specs:
        return []
    now = timezone.now()
    numbers = policy()
    with transaction.atomic():
        left = room.measure(specs, settings.SYNAPSE_MAX_CONCURRENT_TASKS)
        types = [name for name in specs if left.of(name) > 0]
        found = ledger.candidates(lane, types, now=now, limit=limit) if types else []
        allowed = (c for c in found if left.take(c.task.task_type))
        taken = list(takewhile(lambda candidate: fits(candidate.task), allowed))
        if wake and len(found) > len(taken):
            queue.ring(lane)
        begun = [
            attempts.begin(c.task, worker=worker, now=now, policy=numbers)
            for c in taken
        ]
        written = commit(begun) if begun else set()
    return [
        (candidate, planned.after)
        for candidate, planned in zip(taken, begun, strict=True)
        if candidate.task.id in written
    ]


def _spec_for(wanted: Submission) -> HandlerSpec:
    """The handler's declaration, payload and files checked by it (decisions 29)."""
    spec = registry.get(wanted.task_type)
    if spec is None:
        supported = [spec.task_type for spec in registry.enabled_specs()]
        raise SynapseError(
            Code.UNKNOWN_TASK_TYPE,
            details={"task_type": wanted.task_type, "supported": supported},
        )
    try:
        spec.input.model_validate_json(json.dumps(wanted.payload))
    except ValidationError as refused:
        raise SynapseError(
            Code.PAYLOAD_INVALID, details={"fields": field_errors(refused)}
        ) from refused
    spec.check_files(len(wanted.attachments))
    return spec


def _new_task(wanted: Submission, spec: HandlerSpec, now: datetime) -> NewTask:
    """The row and its first message, `p2p:task_request` (seed 003 §11)."""
    task = Snapshot(
        id=ids.new_id(),
        caller_id=wanted.caller_id,
        task_type=wanted.task_type,
        lane=spec.lane,
        external_task_id=wanted.external_task_id,
        priority=wanted.priority,
        max_duration_s=_max_duration_s(spec),
        created_at=now,
        callback_url=wanted.callback_url,
        callback_events=wanted.callback_events,
        state=next_state(TaskState.IDLE, Move.REQUEST),
        generation=1,
        progress=0,
        status_message="Received.",
        eta=None,
        attempt=0,
        failures=0,
        worker="",
        leased_until=None,
        attempt_started_at=None,
        ready_at=now,
        queue_key=queue_key(now, wanted.priority),
        spent_ms=0,
        due_at=now + timedelta(seconds=settings.SYNAPSE_MAX_QUEUE_SECONDS),
        callback_sequence=0,
        updated_at=now,
        completed_at=None,
    )
    return NewTask(
        task=task,
        payload=wanted.payload,
        message=_request(task, wanted),
        callback_token=wanted.callback_token,
        idempotency_key=wanted.idempotency_key,
        fingerprint=wanted.fingerprint,
        retry_of_id=wanted.retry_of_id,
        attachments=wanted.attachments,
    )


def _max_duration_s(spec: HandlerSpec) -> int:
    """What its handler declares, but never more than the node advertises (P2A 7.5)."""
    limit: int = settings.SYNAPSE_MAX_TASK_DURATION
    return min(spec.max_duration_s or limit, limit)


def _request(task: Snapshot, wanted: Submission) -> Logged:
    mode = {"mode": "both" if wanted.callback_url else "polling"}
    words = TaskRequest(
        task_id=str(task.id),
        task_type=task.task_type,
        payload=wanted.payload,
        priority=Priority(task.priority),
        transport_preferences=mode,
        attachments=tuple(_attachment(file) for file in wanted.attachments),
    )
    return Logged(
        message_id=ids.new_message_id(),
        generation=1,
        type=MessageType.TASK_REQUEST,
        sender=caller_address(task.caller_id),
        recipient=policy().node,
        payload=words.to_json(),
        created_at=task.created_at,
    )


def _attachment(file: NewAttachment) -> Attachment:
    return Attachment(
        file_id=str(file.id),
        name=file.name,
        content_type=file.content_type,
        size=file.size,
        sha256=file.sha256,
    )


def _earlier(wanted: Submission, now: datetime) -> Snapshot | None:
    """The task that used the idempotency key first; None when the key has expired.

    IDEMPOTENCY_CONFLICT when it was submitted with another content (G12).
    """
    found = ledger.first_under(wanted.caller_id, wanted.idempotency_key)
    if found is None:
        return None
    first, fingerprint = found
    lifetime = timedelta(seconds=settings.SYNAPSE_IDEMPOTENCY_SECONDS)
    if first.created_at + lifetime <= now:
        ledger.forget_key(first.id)
        return None
    if fingerprint != wanted.fingerprint:
        raise SynapseError(
            Code.IDEMPOTENCY_CONFLICT, details={"task_id": str(first.id)}
        )
    return first


def _ring_for(planned: Change) -> None:
    """Whoever has something to do after this change hears a bell."""
    if planned.after.ready_at is not None:
        wait = (planned.after.ready_at - planned.after.updated_at).total_seconds()
        queue.ring(planned.after.lane, in_seconds=max(0.0, wait))
    if planned.outgoing:
        queue.ring_courier()
