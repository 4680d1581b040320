"""Result files: their rows are written fenced, like everything an attempt does."""

import uuid
from dataclasses import asdict

from django.db import connection

from tasks_app.ledger import columns, statements
from tasks_app.ledger.dialect import current
from tasks_app.ledger.statements import Guarded, Insert
from tasks_app.ledger.writing import NewAttachment
from tasks_app.models import Attachment

_ATTEMPT = {"task_id": "uuid", "attempt": "int"}
_LIVE = (
    f"SELECT t.id FROM {columns.TASK} AS t, ({{wanted}}) AS w "  # noqa: S608 - names are ours
    "WHERE t.id = w.task_id AND t.attempt = w.attempt AND t.leased_until IS NOT NULL"
    "{lock}"
)


# Attempts before this one: the live one has not begun.
_DROP = f"""
    DELETE FROM {columns.ATTACHMENT} WHERE task_id = %s AND kind = 'result'
    AND position NOT IN (SELECT position FROM {columns.JOURNAL} WHERE task_id = %s)
    AND EXISTS (
        SELECT 1 FROM {columns.TASK}
        WHERE id = %s AND attempt = %s AND leased_until IS NOT NULL{{lock}}
    ) RETURNING id
"""  # noqa: S608 - names are ours


def attach(file: NewAttachment, *, task_id: uuid.UUID, attempt: int) -> bool:
    """Add a file to a task; False when the attempt no longer holds it."""
    dialect = current()
    wanted = {"task_id": task_id, "attempt": attempt}
    live = Guarded(
        _LIVE.format(
            wanted=dialect.source(_ATTEMPT, single=True),
            lock=f"{dialect.hold_row} OF t" if dialect.hold_row else "",
        ),
        dialect.parameters([wanted], _ATTEMPT, single=True),
    )
    record = asdict(file) | {"task_id": task_id}
    rows = Insert(columns.ATTACHMENT, columns.NEW_ATTACHMENT, [record])
    return bool(statements.run(live, [rows]))


def has_file(file_id: uuid.UUID) -> bool:
    """Whether `attach` has added this one."""
    return Attachment.objects.filter(pk=file_id).exists()


def drop_unrecorded(task_id: uuid.UUID, attempt: int) -> list[uuid.UUID]:
    """Forget the files of steps without a record, as this attempt begins; their ids.

    Those steps died half-way and will run again, or never.
    """
    dialect = current()
    task = dialect.parameter(task_id)
    with connection.cursor() as cursor:
        cursor.execute(_DROP.format(lock=dialect.hold_row), [task, task, task, attempt])
        return [uuid.UUID(str(row[0])) for row in cursor.fetchall()]
