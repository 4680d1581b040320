"""Files that peers keep for us: noted with the message, fetched when they are needed.

    task_request  → inputs  → rows → fetched before the handler runs (runner.luggage)
    task_complete → results → rows → fetched by the courier, again until it works

A file counts only if it has the size and the SHA-256 that the message said.
"""

import hashlib
import logging
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from agents_app import outbound
from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Attachment as Named
from tasks_app import filetypes, queue, storage
from tasks_app.ledger import NewAttachment
from tasks_app.models import Attachment

# Seconds after each failure; then it is given up, like the link itself by that time.
_DELAYS = (5, 30, 120, 600, 3600, 21600, 86400)
_TOTAL_SECONDS = 60.0
# A courier that dies lets go of a file after this long.
_LEASE = timedelta(seconds=_TOTAL_SECONDS + 30)
_BELL_SECONDS = 60
_MAX_RESULTS = 100

logger = logging.getLogger(__name__)


def inputs(named: Sequence[Named], now: datetime) -> tuple[NewAttachment, ...]:
    """The files of a `p2p:task_request`, by the limits that uploads have.

    TOO_MANY_FILES, FILE_TOO_LARGE, FILE_TYPE_REFUSED; INVALID_FIELD or ADDRESS_REFUSED
    for a link that is missing or leads where we do not go.
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
    if not file.source_url:
        return
    reply = outbound.get(
        file.source_url,
        allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        connect_s=settings.SYNAPSE_CALLBACK_CONNECT_SECONDS,
        total_s=_TOTAL_SECONDS,
        # One more shows that there is more.
        keep_bytes=file.size + 1,
    )
    if not reply.ok:
        raise _unreachable(file, str(reply.error or reply.status))
    if hashlib.sha256(reply.body).hexdigest() != file.sha256:
        raise _unreachable(file, "other content")
    storage.discard([file.pk])  # What an attempt left that died here.
    storage.keep_bytes(file.pk, reply.body)
    Attachment.objects.filter(pk=file.pk).update(source_url="", fetch_at=None)


def anything_due(now: datetime) -> bool:
    """Whether a courier would find a file to fetch."""
    return Attachment.objects.filter(fetch_at__lte=now).exists()


def fetch_due() -> None:
    """Fetch files until none is due."""
    queue.fetch_heard()
    while file := _claim(timezone.now()):
        if anything_due(timezone.now()):
            queue.ring_fetch()  # A slow peer must not hold up the files of others.
        try:
            fetch(file)
        except SynapseError as error:
            logger.info("File %s could not be fetched: %s", file.pk, error.details)
            _try_later(file)


def is_coming(file: Attachment) -> bool:
    """Whether its bytes are still to be fetched by the courier."""
    return file.fetch_at is not None


def _claim(now: datetime) -> Attachment | None:
    due = Attachment.objects.filter(fetch_at__lte=now).order_by("fetch_at", "pk")
    for file in due[:16]:
        seen = Attachment.objects.filter(pk=file.pk, fetch_tries=file.fetch_tries)
        until = now + _LEASE if file.fetch_tries < len(_DELAYS) else None
        claimed = seen.filter(fetch_at__lte=now).update(
            fetch_tries=F("fetch_tries") + 1, fetch_at=until
        )
        if claimed:
            file.fetch_tries += 1
            return file
    return None


def _try_later(file: Attachment) -> None:
    left = file.fetch_tries <= len(_DELAYS)
    wait = _DELAYS[file.fetch_tries - 1] if left else 0
    at = timezone.now() + timedelta(seconds=wait) if left else None
    Attachment.objects.filter(pk=file.pk, fetch_tries=file.fetch_tries).update(
        fetch_at=at
    )
    if left and wait <= _BELL_SECONDS:
        queue.ring_fetch(in_seconds=wait)


def _check(file: Named) -> None:
    if file.size > settings.SYNAPSE_MAX_FILE_SIZE:
        limit = {"max_file_size": settings.SYNAPSE_MAX_FILE_SIZE}
        raise SynapseError(Code.FILE_TOO_LARGE, details=limit)
    if file.url is None:
        fields = {"attachments": "a file needs a url"}
        raise SynapseError(Code.INVALID_FIELD, details={"fields": fields})
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
        source_url=file.url or "",
    )


def _result(task_id: uuid.UUID, file: Named, now: datetime) -> Attachment:
    try:
        _check(file)
        fetch_at = now
    except SynapseError as refused:
        logger.warning("A file of task %s is not fetched: %s", task_id, refused)
        fetch_at = None
    return Attachment(
        id=_id_of(file),
        task_id=task_id,
        kind=Attachment.Kind.RESULT,
        name=file.name[:255],
        content_type=file.content_type[:100],
        size=min(file.size, 2**62),
        sha256=file.sha256,
        created_at=now,
        # Never empty: that would say that the bytes are here.
        source_url=(file.url or "none")[:2048],
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
