"""The journal: what durable calls of a handler returned, written fenced."""

import json
import uuid
from datetime import datetime

from django.db import connection

from tasks_app.ledger import columns
from tasks_app.ledger.dialect import current
from tasks_app.models import JournalEntry

# A cast to the column's own type: on SQLite, where JSON is text, one that does nothing.
_RECORD_STEP = f"""
    INSERT INTO {columns.JOURNAL}
        (task_id, position, kind, name, value, created_at)
    SELECT id, %s, 'step', %s, CAST(%s AS {{json}}), CAST(%s AS {{time}})
    FROM {columns.TASK} WHERE id = %s AND attempt = %s AND leased_until IS NOT NULL
    {{lock}}
"""  # noqa: S608 - names are ours


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
            _RECORD_STEP.format(
                json=dialect.types["json"],
                time=dialect.types["time"],
                lock=dialect.hold_row,
            ),
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


def has_step(task_id: uuid.UUID, position: int, now: datetime) -> bool:
    """Whether `record_step` has kept this one, at this very moment."""
    rows = JournalEntry.objects.filter(task_id=task_id, position=position)
    return rows.filter(created_at=now).exists()
