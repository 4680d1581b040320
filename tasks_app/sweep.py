"""The sweep: what nobody else will notice. Beat rings for it; two at once do no harm.

Expired leases (a worker died), peers that are gone, deadlines of every state, bells
that got lost. Each heal is an ordinary conditional change, so a second sweeper finds
nothing left to do.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import ErrorObject
from agents_app.protocol.states import TaskState
from tasks_app import (
    delivery,
    desk,
    fetching,
    inbox,
    ledger,
    lifecycle,
    queue,
    silence,
)
from tasks_app.changes import Change, Snapshot
from tasks_app.models import Question, QuestionState
from tasks_app.runner import outcomes
from tasks_app.transition import attempts

# At most this many of each kind at a time; the rest waits for the next sweep.
_LIMIT = 200
# A database that answers later than this was away: nobody could renew a lease.
_LATE_SECONDS = 2.0
# How long workers have to renew, or to write what they finished, once it is back.
_RETURN_SECONDS = 5.0

logger = logging.getLogger(__name__)


class _Outage:
    """Whether leases ran out because the database was away and not the workers.

    What this process saw of it; the threads of a courier share it.
    """

    def __init__(self) -> None:
        self._away = False
        self._back_at = -_RETURN_SECONDS

    def begin(self) -> None:
        self._away = True

    def just_over(self) -> bool:
        """Asked when the database has answered: whether workers need a moment yet."""
        now = time.monotonic()
        if self._away:
            self._away, self._back_at = False, now
        return now - self._back_at < _RETURN_SECONDS


_outage = _Outage()


def sweep() -> None:
    """Heal once."""
    try:
        _sweep()
    except ledger.AWAY:
        _outage.begin()
        raise


def _sweep() -> None:
    now = timezone.now()
    for task in _lost(now):
        _each(task, _heal_lost)
    for task in silence.unconfirmed(now, _LIMIT):
        _each(task, silence.offer_elsewhere)
    for task in silence.abandoned(now, _LIMIT):
        _each(task, silence.give_up)
    for task in ledger.overdue(now, _LIMIT):
        _each(task, _end_overdue)
    for lane in ledger.waiting_lanes(now):
        queue.ring(lane)
    if delivery.anything_due(now):
        queue.ring_courier()
    if fetching.anything_due(now):
        queue.ring_fetch()
    inbox.forget_old(now)


def _lost(now: datetime) -> list[Snapshot]:
    """Tasks that nobody looks after any more; none of them when nobody could (G05)."""
    asked_at = time.monotonic()
    found = ledger.expired_leases(now, _LIMIT)
    if time.monotonic() - asked_at > _LATE_SECONDS:
        _outage.begin()
    if not _outage.just_over():
        return found
    if found:
        logger.warning("The database was away: %s leases may yet be kept.", len(found))
    return []


def _each(task: Snapshot, heal: Callable[[Snapshot], object]) -> None:
    """One task that cannot be healed must not keep the others ill."""
    try:
        heal(task)
    except SynapseError as error:
        logger.info("Task %s needs no healing any more: %s", task.id, error)
    except ledger.AWAY:
        raise
    except ledger.UNWRITABLE as error:
        logger.exception("Task %s cannot be written.", task.id)
        if ledger.blames_row(error):
            lifecycle.end_unwritable(task, Code.UNSTORABLE_VALUE)
    except Exception:
        logger.exception("Task %s could not be healed.", task.id)


def _heal_lost(task: Snapshot) -> None:
    lifecycle.commit(
        [outcomes.lost(task, now=timezone.now(), policy=lifecycle.policy())]
    )


def _end_overdue(task: Snapshot) -> None:
    if task.state is TaskState.INFO_NEEDED:
        (silence if silence.is_remote(task) else desk).expire_info(task)
    elif task.state in (TaskState.NEED_HUMAN, TaskState.HUMAN_DECIDING):
        question = Question.objects.filter(
            task_id=task.id, state=QuestionState.OPEN
        ).first()
        if question is not None:
            desk.advance(question)
    elif silence.is_remote(task):
        silence.end_overdue(task)
    elif _may_be_dead(task):
        logger.info("Task %s is overdue and silent: its lease decides.", task.id)
    elif task.running:
        _commit(outcomes.overtime(task, now=timezone.now(), policy=lifecycle.policy()))
    else:
        _commit(_not_started(task))


def _may_be_dead(task: Snapshot) -> bool:
    """Whether its worker was not heard of since the task is overdue.

    A dead one is lost and tried again, which its lease tells; a slow one renews (G05).
    """
    if task.leased_until is None or task.due_at is None:
        return False
    return lifecycle.policy().heard_at(task.leased_until) < task.due_at


def _not_started(task: Snapshot) -> Change:
    error = SynapseError(
        Code.NOT_STARTED, details={"max_queue_s": settings.SYNAPSE_MAX_QUEUE_SECONDS}
    )
    return attempts.fail(
        task, ErrorObject.of(error), now=timezone.now(), policy=lifecycle.policy()
    )


def _commit(change: Change) -> None:
    lifecycle.commit([change])
