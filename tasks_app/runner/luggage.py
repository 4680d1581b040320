"""What a handler takes along: payload, files, journal; and the files it brings back."""

from django.utils import timezone

from agents_app.dispatch import Assignment
from agents_app.host import TaskFile
from agents_app.journal import JournalEntry, JournalKind
from agents_app.protocol.payloads import Attachment as AttachmentValue
from agents_app.registry import HandlerSpec
from tasks_app import filelinks, foreignfiles, ledger, lifecycle, outbox, storage
from tasks_app.ledger import Candidate
from tasks_app.models import Attachment
from tasks_app.runner.held import Held
from tasks_app.runner.host import AttemptHost


def pack(spec: HandlerSpec, candidate: Candidate, held: Held) -> Assignment:
    """Read what this attempt needs, and only that: a fresh task has no journal.

    Files of steps that died half-way are dropped: those steps start again.
    FILE_UNREACHABLE when a file is still with the peer that asked for the task.
    """
    task = candidate.task
    if task.attempt > 0:
        storage.discard(ledger.drop_unrecorded(task.id, held.attempt))
    return Assignment(
        task_id=str(task.id),
        attempt=held.attempt,
        payload=candidate.payload,
        files=_files(candidate) if spec.accepts_files else (),
        journal=_journal(candidate) if task.attempt > 0 else (),
    )


def results(host: AttemptHost, candidate: Candidate) -> tuple[AttachmentValue, ...]:
    """The result files to name in the completion."""
    if not host.attached and candidate.task.attempt == 0:
        return ()
    rows = Attachment.objects.filter(
        task_id=candidate.task.id, kind=Attachment.Kind.RESULT
    )
    remote = outbox.is_remote(candidate.task.requester, lifecycle.policy())
    return tuple(
        AttachmentValue(
            file_id=str(row.id),
            name=row.name,
            content_type=row.content_type,
            size=row.size,
            sha256=row.sha256,
            url=_link(row, candidate.task.requester) if remote else None,
        )
        for row in rows
    )


def _link(row: Attachment, requester: str) -> str | None:
    return filelinks.link_for(requester, row.id, timezone.now())


def _files(candidate: Candidate) -> tuple[TaskFile, ...]:
    rows = Attachment.objects.filter(
        task_id=candidate.task.id, kind=Attachment.Kind.INPUT
    )
    foreignfiles.check_here(candidate.task.id)
    return tuple(
        TaskFile(
            id=str(row.id),
            name=row.name,
            content_type=row.content_type,
            size=row.size,
            sha256=row.sha256,
            path=storage.path_of(row.id),
        )
        for row in rows
    )


def _journal(candidate: Candidate) -> tuple[JournalEntry, ...]:
    return tuple(
        JournalEntry(
            position=row.position,
            kind=JournalKind(row.kind),
            name=row.name,
            value=row.value,
        )
        for row in ledger.load_journal(candidate.task.id)
    )
