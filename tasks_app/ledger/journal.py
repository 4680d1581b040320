"""The journal: what durable calls of a handler returned, written fenced."""

import json
import uuid
from datetime import datetime

from django.db import connection

from tasks_app.ledger.dialect import current
from tasks_app.models import JournalEntry


def load_journal(task_id: uuid.UUID) -> list[JournalEntry]:
    """All entries of a task, in call order."""
    return list(JournalEntry.objects.filter(task_id=task_id).order_by("position"))


def record_step(
    *,
    task_id: uuid.UUID,
    attempt: int,
    position: int,
    name: str,
    value: object,
    now: datetime,
) -> bool:
    """Keep what a step returned; False when the attempt no longer holds the task."""
    dialect = current()
    text = json.dumps(value, allow_nan=False)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tasks_app_journalentry "
            "(task_id, position, kind, name, value, created_at) "
            f"SELECT id, %s, 'step', %s, {_json_parameter()}, %s FROM tasks_app_task "
            "WHERE id = %s AND attempt = %s AND leased_until IS NOT NULL",
            [
                position,
                name,
                text,
                dialect.parameter(now),
                dialect.parameter(task_id),
                attempt,
            ],
        )
        return bool(cursor.rowcount)


def _json_parameter() -> str:
    return "%s::jsonb" if connection.vendor == "postgresql" else "%s"
