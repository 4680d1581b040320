"""What it means for a task that one of its messages will never arrive.

    courier, mailbox → on_dead → lifecycle.change

Dead is what the peer refused for good, and what it did not take by the whole schedule.
What somebody waits for ends the task at once, with a code; the rest leaves a line in
the log. A message that the task has left behind means nothing any more.
"""

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from agents_app.protocol.payloads import ErrorObject
from agents_app.protocol.states import TaskState
from tasks_app import lifecycle
from tasks_app.changes import Change, Snapshot
from tasks_app.delivery.refusing import Refusal, delivery_failed, refusal_of
from tasks_app.models import Delivery, DeliveryKind, Message, Question, QuestionState
from tasks_app.transition import attempts, silence, steps

# By these an executor says that it does not wait for this answer: it went on, and its
# own next word is on its way, or lost.
_CROSSED = frozenset(
    {
        Code.TASK_ENDED,
        Code.ILLEGAL_TRANSITION,
        Code.ALREADY_DECIDED,
        Code.QUESTION_CHANGED,
        Code.NO_INFO_NEEDED,
    }
)
# By these a requester says that its task is over: no end of ours is missing there.
_OVER = frozenset({Code.TASK_ENDED, Code.TASK_NOT_FOUND})

logger = logging.getLogger(__name__)


def on_dead(delivery: Delivery) -> None:
    """A delivery was given up: let its task go on without it, or end.

    | message | what becomes of its task |
    |---|---|
    | task_request | overdue: the sweep offers it to another agent, or fails it |
    | task_info_provided, human_decision | fails with DELIVERY_FAILED; when the executor
      says that it went on, it has the grace of SYNAPSE_PEER_GRACE_SECONDS to say more |
    | task_need_info, task_need_human | fails with DELIVERY_FAILED: nobody can answer |
    | task_complete | stays completed; a requester that refused it hears task_failed |
    | every other | nothing |
    """
    if delivery.kind != DeliveryKind.MESSAGE or delivery.task_id is None:
        return
    refusal = refusal_of(delivery)
    logger.warning(
        "Message %s (%s) of task %s is given up (%s).",
        delivery.pk,
        delivery.event,
        delivery.task_id,
        f"nack {refusal.code}" if refusal else "no answer",
    )
    plan = _PLANS.get(delivery.event)
    if plan is None:
        return
    try:
        lifecycle.change(delivery.task_id, lambda task: plan(task, delivery, refusal))
    except SynapseError as error:
        logger.info("Task %s went on without it: %s", delivery.task_id, error)


def _not_asked(task: Snapshot, delivery: Delivery, _: Refusal | None) -> Change:
    """The executor never got the request."""
    _check(task.executor, delivery.peer)
    if task.state is not TaskState.PENDING:
        raise SynapseError(Code.ILLEGAL_TRANSITION)
    return steps.with_after(steps.begin(task), due_at=timezone.now())


def _not_answered(
    task: Snapshot, delivery: Delivery, refusal: Refusal | None
) -> Change:
    """The executor waits for an answer that it cannot get (G34)."""
    _check(task.executor, delivery.peer)
    if _spoke_since(task, delivery):
        raise SynapseError(Code.CHANGED_MEANWHILE)
    now = timezone.now()
    if refusal and refusal.code in _CROSSED and task.due_at is not None:
        grace = timedelta(seconds=settings.SYNAPSE_PEER_GRACE_SECONDS)
        return steps.with_after(steps.begin(task), due_at=min(task.due_at, now + grace))
    error = _failure(delivery, refusal)
    # It is told to stop: it may have it after all, and go on.
    return silence.give_up(task, error, now=now, policy=lifecycle.policy())


def _not_heard(task: Snapshot, delivery: Delivery, refusal: Refusal | None) -> Change:
    """We execute it, and the question cannot be put to its requester.

    Silence is no consent and a refusal no decision, so the handler gets neither.
    """
    _check(task.requester, delivery.peer)
    asked = Question.objects.filter(
        task_id=task.id, state=QuestionState.OPEN, message_id=str(delivery.pk)
    )
    if not asked.exists():
        raise SynapseError(Code.CHANGED_MEANWHILE)
    return attempts.fail(
        task,
        _failure(delivery, refusal),
        now=timezone.now(),
        policy=lifecycle.policy(),
    )


def _not_taken(task: Snapshot, delivery: Delivery, refusal: Refusal | None) -> Change:
    """Its requester does not take the result, and would wait for another end."""
    _check(task.requester, delivery.peer)
    if refusal is None or refusal.code in _OVER:
        raise SynapseError(Code.TASK_ENDED)
    return attempts.result_refused(
        task,
        _failure(delivery, refusal),
        now=timezone.now(),
        policy=lifecycle.policy(),
    )


_Plan = Callable[[Snapshot, Delivery, Refusal | None], Change]
_PLANS: Mapping[str, _Plan] = {
    MessageType.TASK_REQUEST: _not_asked,
    MessageType.TASK_INFO_PROVIDED: _not_answered,
    MessageType.HUMAN_DECISION: _not_answered,
    MessageType.TASK_NEED_INFO: _not_heard,
    MessageType.TASK_NEED_HUMAN: _not_heard,
    MessageType.TASK_COMPLETE: _not_taken,
}


def _spoke_since(task: Snapshot, delivery: Delivery) -> bool:
    """Whatever an executor says after its question withdraws it."""
    later = Message.objects.filter(task_id=task.id, generation__gt=delivery.sequence)
    return later.filter(sender=task.executor).exists()


def _failure(delivery: Delivery, refusal: Refusal | None) -> ErrorObject:
    return ErrorObject.of(delivery_failed(delivery.event, refusal))


def _check(address: str, peer: Agent | None) -> None:
    """The task may be another agent's by now."""
    if peer is None or address != peer.address:
        raise SynapseError(Code.CHANGED_MEANWHILE)
