"""One worker slot at work: claim, run, settle, until the lane is empty.

Nothing here holds a transaction while a handler runs. The outcomes of a batch are
written together; each is still conditional on its own attempt.
"""

import logging
import os
import socket
import time
from dataclasses import dataclass

from billiard.common import (  # type: ignore[attr-defined] # not in its stubs
    terminate_handler_fired,
)
from django.conf import settings
from django.db import connection
from django.utils import timezone

from agents_app import dispatch, registry
from agents_app.dispatch import Outcome
from agents_app.host import AttemptStopped, StopReason
from agents_app.protocol.errors import SynapseError
from agents_app.protocol.payloads import ErrorObject, TaskFailed
from agents_app.registry import HandlerSpec
from tasks_app import claiming, ledger, lifecycle, queue
from tasks_app.changes import Change, Snapshot
from tasks_app.ledger import Candidate
from tasks_app.runner import luggage, outcomes
from tasks_app.runner.held import Held, Phase, Plan
from tasks_app.runner.host import AttemptHost
from tasks_app.runner.keeper import keeper
from tasks_app.runner.pace import Pace
from tasks_app.runner.settling import settle_alone, write

# After this long a slot goes back to the broker, so that a busy lane does not starve
# the others, and a worker that is asked to stop can.
_DRAIN_SECONDS = 5.0

logger = logging.getLogger(__name__)
_pace = Pace(budget_ms=settings.SYNAPSE_BATCH_MILLISECONDS)


@dataclass(frozen=True, slots=True)
class Job:
    """A claimed task with what its handler gets."""

    held: Held
    candidate: Candidate


def drain(lane: str) -> None:
    """Run ready tasks of a lane until there are none, or it is others' turn."""
    queue.heard(lane)
    until = time.monotonic() + _DRAIN_SECONDS
    # Once is enough: the slot that wakes rings on if there is still more.
    wake = True
    while jobs := _claim(lane, wake=wake):
        wake = False
        _run_all(jobs)
        if time.monotonic() > until:
            queue.ring(lane)
            return


def _claim(lane: str, *, wake: bool) -> list[Job]:
    taken = claiming.claim(
        lane,
        worker=f"{socket.gethostname()}:{os.getpid()}",
        limit=_pace.look_ahead(),
        fits=_pace.batch(),
        wake=wake,
    )
    jobs = [
        Job(
            Held(
                task=begun,
                attempt=begun.attempt,
                renewed_at=begun.updated_at,
                deadline=begun.due_at,
            ),
            candidate,
        )
        for candidate, begun in taken
    ]
    if jobs:
        keeper.take([job.held for job in jobs])
    return jobs


def _run_all(jobs: list[Job]) -> None:
    """Run each in turn; write the outcomes whenever the time budget is used up."""
    done: list[Held] = []
    budget_s = settings.SYNAPSE_BATCH_MILLISECONDS / 1000
    flush_at = time.monotonic() + budget_s
    try:
        for job in jobs:
            if keeper.start(job.held):
                _run_guarded(job)
                done.append(job.held)
            if time.monotonic() >= flush_at:
                _settle_all(done)
                done, flush_at = [], time.monotonic() + budget_s
    finally:
        # Also when a handler ends the process: its neighbours did nothing wrong.
        try:
            _settle_all(done)
        finally:  # Else their leases would be kept for ever.
            keeper.drop([job.held for job in jobs])


def _run_guarded(job: Job) -> None:
    """Run one attempt; its outcome is the held one's `plan`."""
    held = job.held
    try:
        held.plan = _run(job)
    except AttemptStopped as stopped:
        logger.info("Task %s stopped: %s", held.task.id, stopped.reason)
        if held.forced_at is not None:
            # Interrupted anywhere, perhaps in the middle of a statement.
            connection.close()
        held.plan = _overtime if stopped.reason is StopReason.OVERTIME else None
    finally:
        held.phase = Phase.DONE


def _run(job: Job) -> Plan:
    """Run one handler. AttemptStopped passes through."""
    held, task = job.held, job.candidate.task
    spec = registry.get(task.task_type)
    host = AttemptHost(held)
    if spec is None:  # Switched off between the claim and now.
        return _lost
    began = time.monotonic()
    outcome = _outcome(spec, job, host)
    if terminate_handler_fired():
        # Not its own end: the process was told to go, and said so by a SystemExit. The
        # lease brings the task back.
        raise SystemExit
    _pace.learn(task.task_type, (time.monotonic() - began) * 1000)
    files = ledger.endure(lambda: luggage.results(host, job.candidate))

    def plan(task: Snapshot) -> Change:
        return outcomes.change_of(
            task,
            outcome,
            files=files,
            now=timezone.now(),
            policy=lifecycle.policy(),
            local_desk=spec.hil_owner == "local",
        )

    return plan


def _outcome(spec: HandlerSpec, job: Job, host: AttemptHost) -> Outcome:
    """What the handler says, or that it could not have what it needs."""
    try:
        assignment = ledger.endure(
            lambda: luggage.pack(spec, job.candidate, job.held), job.held.check
        )
    except SynapseError as error:
        said = TaskFailed(task_id=job.held.task.wire_id, error=ErrorObject.of(error))
        return Outcome(payload=said, retryable=error.spec.retryable)
    return dispatch.run(spec, assignment, host)


def _lost(task: Snapshot) -> Change:
    return outcomes.lost(task, now=timezone.now(), policy=lifecycle.policy())


def _overtime(task: Snapshot) -> Change:
    return outcomes.overtime(task, now=timezone.now(), policy=lifecycle.policy())


def _settle_all(done: list[Held]) -> None:
    """One commit for all; who lost a race is settled alone, by the row as it is now."""
    mine = keeper.drop(done)
    settled = [(held, held.plan) for held in mine if held.plan is not None]
    if not settled:
        return
    try:
        written = write([plan(held.task) for held, plan in settled])
    except ledger.UNWRITABLE:
        written = set()  # One of them holds what no row can: find out which.
    for held, plan in settled:
        if held.task.id not in written:
            settle_alone(held, plan)
