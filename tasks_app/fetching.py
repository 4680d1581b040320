"""The courier fetches the files that `foreignfiles` noted, and says what comes of it.

    bell → fetch_due → claim → foreignfiles.fetch → the task that waits for it is ready
                                                  → again later, or given up

A task is not in the queue before its files are here: a peer that does not hand one out
holds no worker (G16), and no more threads of a courier than its share (G24).
"""

import logging
import random
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from agents_app import outbound
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import ErrorObject
from agents_app.protocol.retry import RetryPolicy
from agents_app.protocol.states import TERMINAL, TaskState
from tasks_app import foreignfiles, lifecycle, queue
from tasks_app.changes import Change, Snapshot
from tasks_app.models import Attachment
from tasks_app.sharing import courier as threads
from tasks_app.transition import attempts, steps

# Then it is given up, like the link itself by that time.
_SCHEDULE = RetryPolicy.after_failures(
    (5, 30, 120, 600, 3600, 21600, 86400), jitter=0.2
)
# A courier that dies lets go of a file after this long.
_LEASE = timedelta(seconds=outbound.FILE_SECONDS + 30)
_BELL_SECONDS = 60
_CHOICE = 16
# The task behind it holds payload and result, which are not needed here.
_NEEDED = (
    "kind",
    "name",
    "size",
    "sha256",
    "source_url",
    "fetch_tries",
    "task__requester",
    "task__executor",
    "task__state",
    "task__due_at",
)

Plan = Callable[[Snapshot], Change]

logger = logging.getLogger(__name__)


def anything_due(now: datetime) -> bool:
    """Whether a courier would find a file to fetch."""
    return _due(now).exists()


def fetch_due() -> None:
    """Fetch files until none is due, or those who have some have their share."""
    queue.fetch_heard()
    while file := _claim(timezone.now()):
        try:
            if anything_due(timezone.now()):
                queue.ring_fetch()  # A slow peer must not hold up the files of others.
            _serve(file)
        except Exception:
            # Its lease brings it back; the others need not wait for that.
            logger.exception("File %s could not be dealt with.", file.pk)
        finally:
            threads.leave(_party(file))


def _due(now: datetime) -> QuerySet[Attachment]:
    return Attachment.objects.filter(fetch_at__lte=now)


def _claim(now: datetime) -> Attachment | None:
    """A file that is this thread's for a while, the thread taken for its party."""
    sated = threads.sated()
    theirs = Q(kind=Attachment.Kind.INPUT, task__requester__in=sated)
    theirs |= Q(kind=Attachment.Kind.RESULT, task__executor__in=sated)
    found = _due(now).exclude(theirs).order_by("fetch_at", "pk")
    needed = found.select_related("task").only(*_NEEDED)
    for file in needed[:_CHOICE]:
        if threads.take_for(_party(file), partial(_lease, file, now)):
            return file
    return None


def _lease(file: Attachment, now: datetime) -> Attachment | None:
    seen = _due(now).filter(pk=file.pk, fetch_tries=file.fetch_tries)
    if not seen.update(fetch_tries=F("fetch_tries") + 1, fetch_at=now + _LEASE):
        return None
    file.fetch_tries += 1
    return file


def _party(file: Attachment) -> str:
    """The agent that has it."""
    is_input = file.kind == Attachment.Kind.INPUT
    return file.task.requester if is_input else file.task.executor


def _serve(file: Attachment) -> None:
    """Fetch it; its task comes first, so that one who dies in between is followed."""
    is_input = file.kind == Attachment.Kind.INPUT
    if is_input and file.task.state in TERMINAL:
        _let_go(file)
        return
    try:
        foreignfiles.fetch(file)
    except SynapseError as error:
        logger.info("File %s could not be fetched: %s", file.pk, error.details)
        _try_later(file, error)
        return
    if is_input:
        _start(file.task_id)
    _let_go(file)


def _try_later(file: Attachment, error: SynapseError) -> None:
    """Give it up when the schedule is at its end, or its task would be by then."""
    now = timezone.now()
    dice = random.random()  # noqa: S311 - jitter
    wait = _SCHEDULE.next_delay(file.fetch_tries, random=dice)
    at = now + timedelta(seconds=wait or 0)
    is_input = file.kind == Attachment.Kind.INPUT
    if wait is None or (is_input and file.task.due_at and at >= file.task.due_at):
        if is_input:
            _fail(file.task_id, error)
        _let_go(file)
        return
    _mine(file).update(fetch_at=at)
    if wait <= _BELL_SECONDS:
        queue.ring_fetch(in_seconds=wait)


def _let_go(file: Attachment) -> None:
    _mine(file).update(fetch_at=None)


def _mine(file: Attachment) -> QuerySet[Attachment]:
    return Attachment.objects.filter(pk=file.pk, fetch_tries=file.fetch_tries)


def _start(task_id: uuid.UUID) -> None:
    """Put the task into the queue once the last of its files is here."""
    if foreignfiles.missing(task_id).exists():
        return

    def plan(task: Snapshot) -> Change:
        now = timezone.now()
        if task.state is not TaskState.PENDING or task.ready_at is not None:
            raise SynapseError(Code.CHANGED_MEANWHILE)
        change = steps.with_after(steps.begin(task), updated_at=now)
        return steps.enqueue(change, now, lifecycle.policy())

    _change(task_id, plan)


def _fail(task_id: uuid.UUID, error: SynapseError) -> None:
    def plan(task: Snapshot) -> Change:
        return attempts.fail(
            task,
            ErrorObject.of(error),
            now=timezone.now(),
            policy=lifecycle.policy(),
        )

    _change(task_id, plan)


def _change(task_id: uuid.UUID, plan: Plan) -> None:
    try:
        lifecycle.change(task_id, plan)
    except SynapseError as refused:
        logger.info("Task %s went on without its files: %s", task_id, refused)
