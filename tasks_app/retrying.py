"""Retry: a new task like one that has ended, linked to it; the old one stays as it is.

admin → retry → storage (copies of the files) → lifecycle.submit
"""

import logging
import uuid
from collections.abc import Iterator

from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TERMINAL
from tasks_app import lifecycle, storage
from tasks_app.changes import Snapshot
from tasks_app.ledger import NewAttachment
from tasks_app.lifecycle import Submission
from tasks_app.models import Attachment, Task

logger = logging.getLogger(__name__)


def retry(task_id: uuid.UUID, by: str) -> Snapshot:
    """Submit it again for its caller: same payload, priority, files and callback.

    `by` is who asked, for the log. TASK_NOT_FOUND; ILLEGAL_TRANSITION for a task that
    has not ended; FILE_NOT_FOUND when a file it came with is gone; whatever `submit`
    raises, for the agents may have changed since.
    """
    task = Task.objects.filter(pk=task_id).first()
    if task is None:
        raise SynapseError(Code.TASK_NOT_FOUND)
    if task.state not in TERMINAL:
        raise SynapseError(
            Code.ILLEGAL_TRANSITION, "Only a task that has ended can be retried."
        )
    if task.caller_id is None:
        raise SynapseError(
            Code.FORBIDDEN, "Only the agent that asked for it can ask for it again."
        )
    copies: list[NewAttachment] = []
    try:
        copies.extend(_copies(task))
        again, _ = lifecycle.submit(_submission(task, tuple(copies)))
    except BaseException:
        storage.discard(copy.id for copy in copies)
        raise
    logger.info("Task %s was retried as %s by %s.", task.pk, again.id, by)
    return again


def _submission(task: Task, files: tuple[NewAttachment, ...]) -> Submission:
    return Submission(
        caller_id=task.caller_id,
        task_type=task.task_type,
        agent_id=task.executor.partition(":")[2] if task.pinned else None,
        payload=task.payload,
        priority=task.priority,
        external_task_id=task.external_task_id,
        callback_url=task.callback_url,
        callback_token=task.callback_token,
        callback_events=tuple(task.callback_events or ()),
        attachments=files,
        retry_of_id=task.pk,
    )


def _copies(task: Task) -> Iterator[NewAttachment]:
    """Its input files once more, under ids of their own."""
    for old in Attachment.objects.filter(task=task, kind=Attachment.Kind.INPUT):
        new_id = ids.new_id()
        stored = _copy(old, new_id)
        yield NewAttachment(
            id=new_id,
            kind=old.kind,
            name=old.name,
            content_type=old.content_type,
            size=stored.size,
            sha256=stored.sha256,
            created_at=timezone.now(),
        )


def _copy(old: Attachment, new_id: uuid.UUID) -> storage.Stored:
    try:
        source = default_storage.open(storage.name_of(old.pk))
    except FileNotFoundError as gone:
        raise SynapseError(Code.FILE_NOT_FOUND) from gone
    with source:
        return storage.keep(new_id, UploadedFile(source, name=new_id.hex))
