"""Tasks of ours that a peer executes, or should: what the sweep does about silence.

    sweep → silence → transition.silence (plan) → lifecycle.commit, withdrawn messages

Presence is told by heartbeats. A task that nobody confirmed is offered to another agent
as soon as its peer is gone, or its time to confirm is over. A task that was confirmed
may have run in part: when its peer stays away for longer than the grace it fails, and
never runs twice (G35).
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import ErrorObject, TaskRequest
from agents_app.protocol.states import LIVE, WAITING, TaskState
from tasks_app import delivery, ledger, lifecycle, outbox, routing
from tasks_app.changes import Change, Closed, Snapshot
from tasks_app.delivery.withdrawing import withdraw
from tasks_app.models import (
    Delivery,
    DeliveryKind,
    DeliveryState,
    Message,
    QuestionState,
    Task,
)
from tasks_app.routing import Executor
from tasks_app.transition import silence

_UNCONFIRMED = frozenset({TaskState.PENDING})
# A question waits at a desk and not for the peer; its answer ends the wait.
_WITH_PEER = LIVE - WAITING - _UNCONFIRMED - {TaskState.IDLE}


def is_remote(task: Snapshot) -> bool:
    """Whether a peer executes it."""
    return outbox.is_remote(task.executor, lifecycle.policy())


def unconfirmed(now: datetime, limit: int) -> Iterator[Snapshot]:
    """Tasks that wait for the confirmation of a peer that is gone."""
    return _tasks_of(_gone(now - routing.patience()), _UNCONFIRMED, limit)


def abandoned(now: datetime, limit: int) -> Iterator[Snapshot]:
    """Tasks whose peer has been gone for longer than the grace."""
    grace = timedelta(seconds=settings.SYNAPSE_PEER_GRACE_SECONDS)
    return _tasks_of(_gone(now - routing.patience() - grace), _WITH_PEER, limit)


def offer_elsewhere(task: Snapshot) -> bool:
    """Give it to the next best agent that was not asked yet; False when none is free.

    Not when the caller chose the executor.
    """
    request = _request_of(task)
    executor = None if task.pinned else _next(task, request)
    if executor is None:
        return False
    now = timezone.now()
    _write(
        task,
        silence.offer_to(
            task,
            request,
            executor=executor.address,
            lane=executor.spec.lane if executor.spec else "",
            due_at=now + timedelta(seconds=settings.SYNAPSE_CONFIRM_SECONDS),
            now=now,
            policy=lifecycle.policy(),
        ),
        now,
    )
    return True


def give_up(task: Snapshot) -> None:
    """It fails with AGENT_SILENT."""
    _end(task, _silent(task))


def expire_info(task: Snapshot) -> None:
    """Nobody supplied in time what the peer asked for: INFO_TIMEOUT (G10)."""
    closed = Closed(
        state=QuestionState.EXPIRED, by=lifecycle.policy().node, at=timezone.now()
    )
    _end(task, SynapseError(Code.INFO_TIMEOUT), closed)


def end_overdue(task: Snapshot) -> None:
    """Its peer had its time."""
    if task.state in _UNCONFIRMED and offer_elsewhere(task):
        return
    _end(task, _undelivered(task) or _silent(task))


def _silent(task: Snapshot) -> SynapseError:
    return SynapseError(Code.AGENT_SILENT, details={"agent": task.executor})


def _undelivered(task: Snapshot) -> SynapseError | None:
    """DELIVERY_FAILED, and how the peer refused it, for a request that was given up."""
    if task.state not in _UNCONFIRMED:
        return None
    request = _requests(task)[-1]
    dead = Delivery.objects.filter(
        kind=DeliveryKind.MESSAGE,
        state=DeliveryState.DEAD,
        task=task.id,
        sequence=request.generation,
    ).first()
    if dead is None:
        return None
    refusal = delivery.refusal_of(dead)
    return delivery.delivery_failed(request.type, refusal, agent=task.executor)


def _end(task: Snapshot, error: SynapseError, closed: Closed | None = None) -> None:
    now = timezone.now()
    change = silence.give_up(
        task, ErrorObject.of(error), now=now, policy=lifecycle.policy()
    )
    _write(task, replace(change, closed=closed or change.closed), now)


def _write(task: Snapshot, change: Change, now: datetime) -> None:
    """CHANGED_MEANWHILE when the peer spoke after all."""
    with transaction.atomic():
        if not lifecycle.commit([change]):
            raise SynapseError(Code.CHANGED_MEANWHILE)
        withdraw(task, now)


def _gone(since: datetime) -> list[str]:
    absent = Q(heartbeat_at=None) | Q(heartbeat_at__lte=since)
    return [peer.address for peer in Agent.objects.filter(absent).only("id")]


def _tasks_of(
    addresses: list[str], states: frozenset[TaskState], limit: int
) -> Iterator[Snapshot]:
    if not addresses:
        return
    found = Task.objects.filter(
        executor__in=addresses, lane="", state__in=states, due_at__isnull=False
    )
    for pk in found.order_by("due_at").values_list("pk", flat=True)[:limit]:
        task = ledger.load(pk)
        if task is not None:
            yield task


def _request_of(task: Snapshot) -> TaskRequest:
    return TaskRequest.parse(_requests(task)[-1].payload)


def _next(task: Snapshot, request: TaskRequest) -> Executor | None:
    """The best one that was not asked before and that takes this payload."""
    tried = {message.recipient for message in _requests(task)}
    while True:
        try:
            executor = routing.choose(
                task.task_type, node=lifecycle.policy().node, without=tried
            )
        except SynapseError:
            return None
        tried.add(executor.address)
        if _takes(executor, request):
            return executor


def _takes(executor: Executor, request: TaskRequest) -> bool:
    try:
        lifecycle.check_payload(
            executor, request.payload, files=len(request.attachments)
        )
    except SynapseError:
        return False
    return True


def _requests(task: Snapshot) -> list[Message]:
    asked = Message.objects.filter(task_id=task.id, type=MessageType.TASK_REQUEST)
    return list(asked.order_by("generation"))
