"""The spine: every change to a task goes through here.

    doors, runner, sweep → verb → transition (plan) → ledger.commit → ring

A verb reads the task, plans by the table, writes if nobody was faster, and rings after
the commit. Losing a race means reading again and planning again: the table then says
whether the move still makes sense.
"""

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agents_app import schemas
from agents_app.protocol import ids
from agents_app.protocol.addresses import Party
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import (
    Attachment,
    ErrorObject,
    Priority,
    TaskRequest,
)
from agents_app.protocol.states import Move, TaskState, next_state
from agents_app.registry import HandlerSpec
from tasks_app import filelinks, ladder, ledger, outbox, queue, routing
from tasks_app.changes import Change, Json, Logged, Snapshot, caller_address
from tasks_app.collisions import once_more
from tasks_app.ledger import ApiKey, NewAttachment, NewTask
from tasks_app.models import Task
from tasks_app.policy import Policy, queue_key
from tasks_app.routing import Executor
from tasks_app.transition import attempts, desk, unwritable

# A verb that keeps losing against others gives up with a retryable error.
_TRIES = 10

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A task as a caller wants it (P2A 6.1), its fields checked by the door."""

    # Whose it is; None when a peer asks, who then is `requester`.
    caller_id: uuid.UUID | None
    task_type: str
    payload: Json
    requester: str | None = None
    requester_task_id: str | None = None
    # The id under which the peer's message is logged.
    message_id: str | None = None
    # Only this agent may execute it.
    agent_id: str | None = None
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
    # Of a caller that was not looked up: whether it is good is seen when the task is
    # written.
    api_key: ApiKey | None = None


class NotWrittenError(Exception):
    """A task with an `api_key` was not written: look the caller up, then ask why."""


def policy() -> Policy:
    """The numbers of the settings that plans need."""
    return Policy(
        node=Party.AGENT.address(settings.SYNAPSE_AGENT_ID),
        lease_s=settings.SYNAPSE_LEASE_SECONDS,
        max_queue_s=settings.SYNAPSE_MAX_QUEUE_SECONDS,
        answer_s=settings.SYNAPSE_ANSWER_SECONDS,
    )


def submit(wanted: Submission) -> tuple[Snapshot, bool]:
    """Store a task and ring its lane; the task, and whether it was there before.

    The second is True for a repeat under the same idempotency key. Raises
    UNKNOWN_TASK_TYPE, NO_LIVE_AGENT, PAYLOAD_INVALID, IDEMPOTENCY_CONFLICT, and
    NotWrittenError.
    """
    executor = routing.choose(
        wanted.task_type, node=policy().node, agent_id=wanted.agent_id
    )
    check_payload(executor, wanted.payload, files=len(wanted.attachments))
    now = timezone.now()
    # Not left to the INSERT: that would wait for whoever is at work on the task.
    if wanted.requester_task_id and (asked := _earlier_of_peer(wanted)):
        return asked, True
    # Twice at most: the second time an expired key has been set free.
    while not ledger.insert(new := _new_task(wanted, executor, now)):
        if wanted.api_key is not None:
            raise NotWrittenError
        earlier = _earlier(wanted, now)
        if earlier is not None:
            return earlier, True
    if _awaits_files(wanted):
        queue.ring_fetch()
    if new.task.ready_at is not None:
        queue.ring(new.task.lane)
    elif executor.spec is None:
        queue.ring_courier()
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
        if once_more(partial(commit, [planned])):
            return planned
    raise SynapseError(Code.CHANGED_MEANWHILE, retry_after=1)


def commit(changes: Sequence[Change], *, again: bool = False) -> set[uuid.UUID]:
    """Write the changes whose tasks are as they were seen, and ring for what is due.

    `again`: they may be there already, by a commit whose answer was lost.
    """
    answer_s: int = settings.SYNAPSE_ANSWER_SECONDS
    changes = [ladder.under_rules(planned, answer_s) for planned in changes]
    written = ledger.commit(changes)
    if again:
        written |= ledger.arrived(c for c in changes if c.before.id not in written)
    for planned in changes:
        if planned.before.id in written:
            _ring_for(planned)
    return written


def cancel(task_id: uuid.UUID, *, by: str, reason: str = "") -> Snapshot:
    """End a live task; a cancelled one stays as it is (decisions 32).

    For its requester, or for our operator: a task that a peer executes is taken back
    there, too. The attempt that runs is fenced at once. TASK_ENDED for a task that
    ended otherwise, FORBIDDEN where another agent asked for it: see `stop`.
    """
    now = timezone.now()

    def plan(task: Snapshot) -> Change:
        if outbox.is_remote(task.requester, policy()) and by != task.requester:
            raise SynapseError(
                Code.FORBIDDEN, "Only the agent that asked for it can take it back."
            )
        return desk.cancel(task, by=by, reason=reason, now=now, policy=policy())

    try:
        return change(task_id, plan).after
    except SynapseError:
        task = ledger.load(task_id)
        if task is not None and task.state is TaskState.CANCELLED:
            return task
        raise


def stop(task_id: uuid.UUID, *, by: str, reason: str = "") -> Snapshot:
    """End a live task that a peer asked of us, for our operator (A2A 3.1).

    It is not ours to cancel, so it fails with STOPPED_BY_EXECUTOR, which the peer is
    told. The attempt that runs is fenced at once. TASK_ENDED for one that ended,
    FORBIDDEN where no other agent asked for it: see `cancel`.
    """
    now = timezone.now()

    def plan(task: Snapshot) -> Change:
        if not outbox.is_remote(task.requester, policy()):
            raise SynapseError(Code.FORBIDDEN, "It is ours: it can be cancelled.")
        return attempts.stop(task, by=by, reason=reason, now=now, policy=policy())

    return change(task_id, plan).after


def end_unwritable(task: Snapshot, code: Code) -> None:
    """The database refuses what a task holds: it ends with this code (G06).

    If even that cannot be written, it is laid aside for a while.
    """
    error = ErrorObject.of(SynapseError(code))
    ways = unwritable.ways_out(task, error, now=timezone.now(), policy=policy())
    for planned in ways:
        try:
            with transaction.atomic():
                commit([planned])
            return
        except ledger.UNWRITABLE:
            logger.exception("Task %s cannot be written.", task.id)


def check_payload(executor: Executor, payload: Json, *, files: int) -> None:
    """PAYLOAD_INVALID unless the executor takes this, by its schema (decisions 29)."""
    spec = executor.spec
    if spec is None:
        _check_by_schema(executor.input_schema, payload)
        return
    spec.read(payload)
    spec.check_files(files)


def _check_by_schema(schema: Json | None, payload: Json) -> None:
    errors = schemas.errors_in(schema, payload) if schema else {}
    if errors:
        raise SynapseError(Code.PAYLOAD_INVALID, details={"fields": errors})


def _new_task(wanted: Submission, executor: Executor, now: datetime) -> NewTask:
    """The row and its first message, `p2p:task_request` (P2A 11)."""
    task = _row_of(wanted, executor, now)
    change = outbox.announce(_requested(task, wanted), now, policy())
    return NewTask(
        task=task,
        payload=wanted.payload,
        message=change.messages[0],
        outgoing=change.outgoing,
        callback_token=wanted.callback_token,
        idempotency_key=wanted.idempotency_key,
        fingerprint=wanted.fingerprint,
        retry_of_id=wanted.retry_of_id,
        attachments=wanted.attachments,
        api_key=wanted.api_key,
    )


def _row_of(wanted: Submission, executor: Executor, now: datetime) -> Snapshot:
    spec = executor.spec
    # A peer has its own queue; `fetching` puts it into ours when its files are here.
    starts = spec is not None and not _awaits_files(wanted)
    wait_s = settings.SYNAPSE_MAX_QUEUE_SECONDS
    return Snapshot(
        id=ids.new_id(),
        caller_id=wanted.caller_id,
        requester=_requester(wanted),
        executor=executor.address,
        requester_task_id=wanted.requester_task_id,
        pinned=wanted.agent_id is not None,
        task_type=wanted.task_type,
        lane=spec.lane if spec else "",
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
        ready_at=now if starts else None,
        queue_key=queue_key(now, wanted.priority) if starts else None,
        spent_ms=0,
        due_at=now
        + timedelta(seconds=wait_s if spec else settings.SYNAPSE_CONFIRM_SECONDS),
        callback_sequence=0,
        updated_at=now,
        completed_at=None,
    )


def _awaits_files(wanted: Submission) -> bool:
    return any(file.source_url for file in wanted.attachments)


def _requester(wanted: Submission) -> str:
    if wanted.requester is not None:
        return wanted.requester
    assert wanted.caller_id is not None  # noqa: S101 - one of the two asks
    return caller_address(wanted.caller_id)


def _max_duration_s(spec: HandlerSpec | None) -> int:
    """What its handler declares, but never more than the node advertises (P2A 7.5)."""
    limit: int = settings.SYNAPSE_MAX_TASK_DURATION
    return min((spec.max_duration_s if spec else None) or limit, limit)


def _requested(task: Snapshot, wanted: Submission) -> Change:
    """The request as a change of the fresh row; its first message."""
    mode = {"mode": "both" if wanted.callback_url else "polling"}
    words = TaskRequest(
        task_id=task.wire_id,
        task_type=task.task_type,
        payload=wanted.payload,
        priority=Priority(task.priority),
        transport_preferences=mode,
        attachments=tuple(_attachment(file, task) for file in wanted.attachments),
    )
    logged = Logged(
        message_id=wanted.message_id or ids.new_message_id(),
        generation=1,
        type=MessageType.TASK_REQUEST,
        sender=task.requester,
        recipient=task.executor,
        payload=words.to_json(),
        created_at=task.created_at,
    )
    return Change(before=task, after=task, messages=(logged,))


def _attachment(file: NewAttachment, task: Snapshot) -> Attachment:
    link = None
    if outbox.is_remote(task.executor, policy()):
        link = filelinks.link_for(task.executor, file.id, task.created_at)
    return Attachment(
        file_id=str(file.id),
        name=file.name,
        content_type=file.content_type,
        size=file.size,
        sha256=file.sha256,
        url=link,
    )


def _earlier(wanted: Submission, now: datetime) -> Snapshot | None:
    """The task that used the idempotency key first; None when the key has expired.

    IDEMPOTENCY_CONFLICT when it was submitted with another content (G12).
    """
    if wanted.requester_task_id is not None:
        return _earlier_of_peer(wanted)
    if wanted.caller_id is None:
        return None
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


def _earlier_of_peer(wanted: Submission) -> Snapshot | None:
    """The task that a peer asked for under this id before (decision 4)."""
    holder = Task.objects.filter(
        requester=wanted.requester, requester_task_id=wanted.requester_task_id
    )
    first = holder.values_list("id", "fingerprint").first()
    if first is None:
        return None
    task_id, fingerprint = first
    if fingerprint != wanted.fingerprint:
        raise SynapseError(
            Code.IDEMPOTENCY_CONFLICT, details={"task_id": wanted.requester_task_id}
        )
    return ledger.load(task_id)


def _ring_for(planned: Change) -> None:
    """Whoever has something to do after this change hears a bell."""
    if planned.after.ready_at is not None:
        wait = (planned.after.ready_at - planned.after.updated_at).total_seconds()
        queue.ring(planned.after.lane, in_seconds=max(0.0, wait))
    if planned.outgoing:
        queue.ring_courier()
