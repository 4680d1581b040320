"""Files that peers keep for us: noted with the message, fetched by the courier.

    task_request  → inputs  → rows → `fetching` → the task is ready for a worker
    task_complete → results → rows → `fetching` → callers can have them
    no link in either       → rows → the peer brings the bytes (api/a2a/files → bring)

A file counts only if it has the size and the SHA-256 that the message said.
"""

import hashlib
import logging
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents_app import outbound
from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Attachment as Named
from tasks_app import filetypes, queue, storage
from tasks_app.ledger import NewAttachment
from tasks_app.models import Attachment

_MAX_RESULTS = 100
# How long a peer may take to bring one.
_PATIENCE = timedelta(days=2)
_SOON_SECONDS = 5

logger = logging.getLogger(__name__)


def inputs(named: Sequence[Named], now: datetime) -> tuple[NewAttachment, ...]:
    """The files of a `p2p:task_request`, by the limits that uploads have.

    TOO_MANY_FILES, FILE_TOO_LARGE, FILE_TYPE_REFUSED; INVALID_FIELD or ADDRESS_REFUSED
    for a link that leads where we do not go. Without one the peer brings the file.
    """
    if len(named) > settings.SYNAPSE_MAX_FILES:
        limit = {"max_files": settings.SYNAPSE_MAX_FILES}
        raise SynapseError(Code.TOO_MANY_FILES, details=limit)
    for file in named:
        _check(file)
    return tuple(_noted(file, Attachment.Kind.INPUT, now) for file in named)


def expect_results(task_id: uuid.UUID, named: Sequence[Named]) -> None:
    """Note the files of a `p2p:task_complete` and send the courier for them.

    One that cannot be had is noted all the same: the result is worth more than it.
    """
    now = timezone.now()
    rows = [_result(task_id, file, now) for file in named[:_MAX_RESULTS]]
    if _keep(rows):
        queue.ring_fetch()


def _keep(rows: list[Attachment]) -> list[Attachment]:
    """Under the peer's own ids, because its result may name them; else under ours.

    One that is taken is never overwritten, whoever chose it.
    """
    try:
        with transaction.atomic():
            return Attachment.objects.bulk_create(rows)
    except IntegrityError:
        for row in rows:
            row.id = ids.new_id()
        return Attachment.objects.bulk_create(rows)


def fetch(file: Attachment) -> None:
    """Get the bytes of a noted file; nothing happens when they are here.

    FILE_UNREACHABLE, which trying again may cure.
    """
    if file.source_url == Attachment.HERE:
        return
    reply = outbound.get(
        file.source_url,
        allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        connect_s=settings.SYNAPSE_CALLBACK_CONNECT_SECONDS,
        total_s=outbound.FILE_SECONDS,
        # One more shows that there is more.
        keep_bytes=file.size + 1,
    )
    if not reply.ok:
        raise _unreachable(file, str(reply.error or reply.status))
    if hashlib.sha256(reply.body).hexdigest() != file.sha256:
        raise _unreachable(file, "other content")
    _keep_bytes(file, reply.body)


def awaited(
    task_id: uuid.UUID, kind: str, *, file_id: str, size: int, sha256: str
) -> Attachment | None:
    """The file that the peer may bring now; None when its bytes are here already.

    FILE_NOT_READY while no message has named it: that may still be on its way.
    """
    named = Attachment.objects.filter(
        task_id=task_id, kind=kind, size=size, sha256=sha256
    )
    open_ones = list(named.filter(source_url=Attachment.AWAITED))
    if open_ones:
        return next((f for f in open_ones if str(f.pk) == file_id), open_ones[0])
    if named.filter(source_url=Attachment.HERE).exists():
        return None
    raise SynapseError(Code.FILE_NOT_READY, retry_after=_SOON_SECONDS)


def bring(file: Attachment, data: bytes) -> None:
    """Keep what the peer brought. INVALID_FIELD unless it is what was announced."""
    if hashlib.sha256(data).hexdigest() != file.sha256:
        details = {"fields": {"sha256": "is that of other bytes"}}
        raise SynapseError(Code.INVALID_FIELD, details=details)
    # `fetching` finds it here, and queues the task that waits for it.
    if _keep_bytes(file, data, fetch_at=timezone.now()):
        queue.ring_fetch()


def _keep_bytes(file: Attachment, data: bytes, **fields: object) -> bool:
    """False when another was faster: its bytes stay."""
    with storage.put_aside(file.pk, data) as move_in, transaction.atomic():
        waiting = Attachment.objects.filter(pk=file.pk, source_url=file.source_url)
        if not waiting.update(source_url=Attachment.HERE, **fields):
            return False
        move_in()  # In place of what one left that died here.
        return True


def missing(task_id: uuid.UUID) -> QuerySet[Attachment]:
    """Files that the task came with and that are not here yet."""
    inputs = Attachment.objects.filter(task_id=task_id, kind=Attachment.Kind.INPUT)
    return inputs.exclude(source_url=Attachment.HERE)


def check_here(task_id: uuid.UUID) -> None:
    """FILE_UNREACHABLE unless all that the task came with is here.

    It is, or the task was not ready: a worker never waits for a peer (G16).
    """
    for file in missing(task_id):
        raise _unreachable(file, "not fetched")


def is_coming(file: Attachment) -> bool:
    """Whether its bytes are still to be fetched by the courier, or to be brought."""
    if file.source_url == Attachment.AWAITED:
        return file.created_at + _PATIENCE > timezone.now()
    return file.fetch_at is not None and file.source_url != Attachment.HERE


def _check(file: Named) -> None:
    if file.size > settings.SYNAPSE_MAX_FILE_SIZE:
        limit = {"max_file_size": settings.SYNAPSE_MAX_FILE_SIZE}
        raise SynapseError(Code.FILE_TOO_LARGE, details=limit)
    if file.url is None:
        return
    outbound.check_url(
        file.url,
        allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        field="attachments",
    )


def _noted(file: Named, kind: str, now: datetime) -> NewAttachment:
    return NewAttachment(
        id=ids.new_id(),
        kind=kind,
        name=file.name[:255],
        content_type=filetypes.settled(file.content_type, file.name),
        size=file.size,
        sha256=file.sha256,
        created_at=now,
        source_url=file.url or Attachment.AWAITED,
        fetch_at=now if file.url else None,
    )


def _result(task_id: uuid.UUID, file: Named, now: datetime) -> Attachment:
    source, fetch_at = file.url or Attachment.AWAITED, now if file.url else None
    try:
        _check(file)
    except SynapseError as refused:
        logger.warning("A file of task %s is not fetched: %s", task_id, refused)
        source, fetch_at = Attachment.REFUSED, None
    return Attachment(
        id=_id_of(file),
        task_id=task_id,
        kind=Attachment.Kind.RESULT,
        name=file.name[:255],
        content_type=file.content_type[:100],
        size=min(file.size, 2**62),
        sha256=file.sha256,
        created_at=now,
        source_url=source,
        fetch_at=fetch_at,
    )


def _id_of(file: Named) -> uuid.UUID:
    try:
        return uuid.UUID(file.file_id)
    except ValueError:
        return ids.new_id()


def _unreachable(file: Attachment, why: str) -> SynapseError:
    details = {"file": file.name, "reason": why}
    return SynapseError(Code.FILE_UNREACHABLE, details=details)
