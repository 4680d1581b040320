"""From what a caller sent to a task: the checks of the door, then `lifecycle.submit`.

fields (+ files) → SubmitRequest → token, URL, key → Submission → lifecycle
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from agents_app import outbound
from agents_app.protocol import ids, storable
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Priority
from tasks_app import lifecycle, storage
from tasks_app.api.auth import Principal
from tasks_app.api.bodies import as_object
from tasks_app.api.requests import SubmitRequest
from tasks_app.changes import Snapshot
from tasks_app.ledger import NewAttachment
from tasks_app.lifecycle import Submission
from tasks_app.models import Attachment
from tasks_app.secrets import vault

KEY_HEADER = "Idempotency-Key"
_KEY_META = "HTTP_IDEMPOTENCY_KEY"
_KEY = re.compile(r"[!-~]{1,255}")


def submit(
    principal: Principal,
    wanted: SubmitRequest,
    *,
    key: str | None,
    uploads: "Sequence[UploadedFile[bytes]]" = (),
) -> tuple[Snapshot, bool]:
    """Store a checked task; whether it was there before, as `lifecycle.submit`.

    Raises besides: TOKEN_INVALID, INVALID_FIELD or ADDRESS_REFUSED for the callback.
    The bytes of files lie in storage before their rows, and go if no row needs them.
    """
    _check_callback(wanted)
    files: list[NewAttachment] = []
    try:
        for upload in uploads:
            files.append(_stored(upload))
        task, replayed = lifecycle.submit(_submission(principal, wanted, key, files))
    except (OperationalError, InterfaceError):
        # Cut off in the middle: the rows may be there, so the bytes must be.
        raise
    except Exception:
        storage.discard(file.id for file in files)
        raise
    if replayed:
        storage.discard(file.id for file in files)
    return task, replayed


def key_of(meta: Mapping[str, Any]) -> str | None:
    """The Idempotency-Key: 1 to 255 visible ASCII characters, else INVALID_FIELD.

    Optimization: from `request.META` (Any is its type); `request.headers` reads all.
    """
    key: str | None = meta.get(_KEY_META)
    if key is None or _KEY.fullmatch(key):
        return key
    text = "must be 1 to 255 visible ASCII characters"
    raise SynapseError(Code.INVALID_FIELD, details={"fields": {KEY_HEADER: text}})


def wanted_in_form(fields: Mapping[str, str]) -> SubmitRequest:
    """The fields of a form (P2A 6.2).

    `payload` is JSON text, `callback_events` words between commas. An empty field is
    one that was not filled in.
    """
    given: dict[str, object] = {name: text for name, text in fields.items() if text}
    storable.check_storable(given)
    if "payload" in given:
        given["payload"] = _payload(fields["payload"])
    if "callback_events" in given:
        words = fields["callback_events"].split(",")
        given["callback_events"] = [word.strip() for word in words]
    return SubmitRequest.parse(given)


def _payload(text: str) -> dict[str, object]:
    """As a body is read, but an error says that it is about this field."""
    try:
        return as_object(text, "payload")
    except SynapseError as refused:
        message = f"The field payload: {refused.message}"
        details = {"fields": {"payload": refused.message}, **refused.details}
        raise SynapseError(refused.code, message, details=details) from refused


def _check_callback(wanted: SubmitRequest) -> None:
    token, url = wanted.callback_token, wanted.callback_url
    if token is not None and not outbound.fits_header(token):
        raise SynapseError(Code.TOKEN_INVALID)
    if url is not None:
        outbound.check_url(
            url,
            allowed_private=settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS,
        )


def _submission(
    principal: Principal,
    wanted: SubmitRequest,
    key: str | None,
    files: Sequence[NewAttachment],
) -> Submission:
    token = wanted.callback_token
    return Submission(
        caller_id=principal.caller_id,
        task_type=wanted.task_type,
        agent_id=wanted.agent_id,
        payload=wanted.payload,
        priority=wanted.priority or Priority.NORMAL,
        external_task_id=wanted.external_task_id,
        callback_url=wanted.callback_url,
        callback_token=None if token is None else vault().seal(token),
        callback_events=tuple(dict.fromkeys(wanted.callback_events or ())),
        idempotency_key=key,
        fingerprint=_fingerprint(wanted, files) if key else "",
        attachments=tuple(files),
        api_key=principal.presumed_by,
    )


def _fingerprint(wanted: SubmitRequest, files: Sequence[NewAttachment]) -> str:
    """One value for everything that was accepted, whatever its order and spacing."""
    # Optimization: the payload is JSON as it came; pydantic takes a µs for each value.
    sent = wanted.model_dump(mode="json", exclude_none=True, exclude={"payload"})
    sent["payload"] = wanted.payload
    sent["files"] = [[file.name, file.content_type, file.sha256] for file in files]
    text = json.dumps(sent, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _stored(upload: "UploadedFile[bytes]") -> NewAttachment:
    file_id = ids.new_id()
    kept = storage.keep(file_id, upload)
    return NewAttachment(
        id=file_id,
        kind=Attachment.Kind.INPUT,
        name=upload.name or "",
        content_type=upload.content_type or "",
        size=kept.size,
        sha256=kept.sha256,
        created_at=timezone.now(),
    )
