"""Rows to look at: a task with all that can hang on it."""

from typing import Any

from django.utils import timezone

from agents_app.protocol import ids
from tasks_app import storage
from tasks_app.changes import Snapshot
from tasks_app.ledger import NewAttachment
from tasks_app.models import Caller, Delivery, DeliveryAttempt, DeliveryState
from tests.factories import set_row, submitted


def attachment(name: str = "bill.pdf", data: bytes = b"%PDF-1.7") -> NewAttachment:
    """A stored upload."""
    file_id = ids.new_id()
    stored = storage.keep_bytes(file_id, data)
    return NewAttachment(
        id=file_id,
        kind="input",
        name=name,
        content_type="application/pdf",
        size=stored.size,
        sha256=stored.sha256,
        created_at=timezone.now(),
    )


def ended(caller: Caller, state: str = "failed", **fields: Any) -> Snapshot:
    """A task that is over."""
    task = submitted(caller, **fields)
    set_row(
        task,
        state=state,
        ready_at=None,
        queue_key=None,
        due_at=None,
        completed_at=timezone.now(),
    )
    return task


def dead_letter(task: Snapshot, **fields: Any) -> Delivery:
    """A callback that was given up after two tries."""
    values = {
        "sequence": 1,
        "event": "failed",
        "terminal": True,
        "url": "https://example.test/hook",
        "endpoint": "https://example.test",
        "body": '{"status": "failed"}',
        "state": DeliveryState.DEAD,
        "tries": 2,
        "created_at": timezone.now(),
        "ended_at": timezone.now(),
    }
    delivery = Delivery.objects.create(task_id=task.id, **values | fields)
    for number, status in enumerate((500, 503), start=1):
        DeliveryAttempt.objects.create(
            delivery=delivery,
            number=number,
            started_at=timezone.now(),
            elapsed_ms=12,
            status=status,
            response=f"answer {number}",
        )
    return delivery
