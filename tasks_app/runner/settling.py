"""Writing the outcome of one attempt, if it is still the live one."""

import logging
import uuid
from collections.abc import Callable, Sequence

from agents_app.host import StopReason
from agents_app.protocol.errors import Code
from agents_app.protocol.states import TaskState
from tasks_app import ledger, lifecycle
from tasks_app.changes import Change, Snapshot
from tasks_app.runner.held import Held, Plan

logger = logging.getLogger(__name__)


def write(
    changes: Sequence[Change], check: Callable[[], None] | None = None
) -> set[uuid.UUID]:
    """`lifecycle.commit`, which outlasts a database that is away (`ledger.faults`)."""
    return ledger.endure_write(
        lambda again: lifecycle.commit(changes, again=again), check=check
    )


def settle(held: Held, plan: Plan, check: Callable[[], None] | None = None) -> bool:
    """Write a change of a live attempt; False when the attempt is not live any more.

    The row may have moved on without fencing us (never so today, but a reader must not
    have to prove it), so a lost write reads again.
    """
    with held.lock:
        planned = plan(held.task)
        while not write([planned], check):
            task = ledger.endure(lambda: ledger.load(held.task.id), check)
            if task is None or not task.running or task.attempt != held.attempt:
                held.stop(why_lost(task))
                return False
            planned = plan(task)
        held.task = planned.after
        held.renewed_at = planned.after.updated_at
        return True


def why_lost(task: Snapshot | None) -> StopReason:
    """Why an attempt does not hold its task any more."""
    if task is not None and task.state is TaskState.CANCELLED:
        return StopReason.CANCELLED
    return StopReason.FENCED


def settle_alone(held: Held, plan: Plan) -> None:
    """Like `settle`; an outcome that no row can hold fails its task."""
    try:
        settle(held, plan)
    except ledger.UNWRITABLE as error:
        if not ledger.blames_row(error):
            raise
        logger.exception("The outcome of task %s cannot be stored.", held.task.id)
        # If an earlier call arrived, the next finds another generation: no change.
        ledger.endure(lambda: lifecycle.end_unwritable(held.task, Code.RESULT_INVALID))
