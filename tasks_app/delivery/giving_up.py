"""What it means for a task that one of its messages will never arrive."""

import logging

from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import ErrorObject
from agents_app.protocol.states import TaskState
from tasks_app import lifecycle
from tasks_app.changes import Change, Snapshot
from tasks_app.models import Delivery, DeliveryKind
from tasks_app.transition import attempts, steps

# Without these the executor waits for ever.
_ANSWERS = (MessageType.TASK_INFO_PROVIDED, MessageType.HUMAN_DECISION)

logger = logging.getLogger(__name__)


def on_dead(delivery: Delivery) -> None:
    """A delivery was given up: let its task go on without it, or end.

    A request that nobody took becomes overdue, so the sweep offers the task to another
    agent or fails it. An answer that cannot reach the executor fails the task
    (DELIVERY_FAILED). Everything else only leaves a line in the log.
    """
    if delivery.kind != DeliveryKind.MESSAGE or delivery.task_id is None:
        return
    logger.warning(
        "Message %s (%s) of task %s is given up.",
        delivery.pk,
        delivery.event,
        delivery.task_id,
    )
    try:
        if delivery.event == MessageType.TASK_REQUEST:
            lifecycle.change(delivery.task_id, lambda task: _overdue(task, delivery))
        elif delivery.event in _ANSWERS:
            lifecycle.change(delivery.task_id, lambda task: _failed(task, delivery))
    except SynapseError as error:
        logger.info("Task %s went on without it: %s", delivery.task_id, error)


def _overdue(task: Snapshot, delivery: Delivery) -> Change:
    _check_executor(task, delivery)
    if task.state is not TaskState.PENDING:
        raise SynapseError(Code.ILLEGAL_TRANSITION)
    return steps.with_after(steps.begin(task), due_at=timezone.now())


def _failed(task: Snapshot, delivery: Delivery) -> Change:
    _check_executor(task, delivery)
    error = SynapseError(Code.DELIVERY_FAILED, details={"type": delivery.event})
    return attempts.fail(
        task, ErrorObject.of(error), now=timezone.now(), policy=lifecycle.policy()
    )


def _check_executor(task: Snapshot, delivery: Delivery) -> None:
    """The task may be another agent's by now."""
    if delivery.peer is None or task.executor != delivery.peer.address:
        raise SynapseError(Code.CHANGED_MEANWHILE)
