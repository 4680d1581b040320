"""Result files: their rows are written fenced, like everything an attempt says."""

import uuid
from dataclasses import asdict

from tasks_app.ledger import columns, statements
from tasks_app.ledger.dialect import current
from tasks_app.ledger.statements import Guarded, Insert
from tasks_app.ledger.writing import NewAttachment

_ATTEMPT = {"task_id": "uuid", "attempt": "int"}
_LIVE = (
    f"SELECT t.id FROM {columns.TASK} AS t, ({{wanted}}) AS w "  # noqa: S608 - names are ours
    "WHERE t.id = w.task_id AND t.attempt = w.attempt AND t.leased_until IS NOT NULL"
)


def attach(file: NewAttachment, *, task_id: uuid.UUID, attempt: int) -> bool:
    """Add a file to a task; False when the attempt no longer holds it."""
    dialect = current()
    wanted = {"task_id": task_id, "attempt": attempt}
    live = Guarded(
        _LIVE.format(wanted=dialect.recordset(_ATTEMPT)),
        dialect.encode([wanted], _ATTEMPT),
    )
    record = asdict(file) | {"task_id": task_id}
    rows = Insert(columns.ATTACHMENT, columns.NEW_ATTACHMENT, [record])
    return bool(statements.run(live, [rows]))
