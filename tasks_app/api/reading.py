"""What callers may read: rows of their own tasks, and only the columns that are shown.

Somebody else's task, an unknown one and a malformed id are the same: TASK_NOT_FOUND,
found out by the same SELECT where there is one (G52).
"""

import re
import uuid
from collections.abc import Iterable

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import WAITING
from tasks_app.api.select import Row, Select, of_table
from tasks_app.ledger import columns
from tasks_app.models import Attachment, Question, QuestionState

__all__ = ["Row", "file_of", "files_of", "open_questions", "task_of"]

_KINDS = columns.SNAPSHOT | columns.VALUES
_OWN = "id = %s AND caller_id = %s"


def _own(*names: str) -> Select:
    return of_table(columns.TASK, {name: _KINDS[name] for name in names}, _OWN)


_SHORT = (
    "id", "state", "generation", "progress", "status_message", "eta", "updated_at",
    "error",
)  # fmt: skip
_MORE = (
    "task_type", "external_task_id", "priority", "result", "created_at",
    "completed_at",
)  # fmt: skip

ID = _own("id")
STATUS = _own(*_SHORT)
TASK = _own(*_SHORT, *_MORE)

FILES = of_table(
    columns.ATTACHMENT,
    {
        name: columns.NEW_ATTACHMENT[name]
        for name in (
            "id", "task_id", "kind", "name", "content_type", "size", "sha256",
        )
    },
    "task_id = %s ORDER BY created_at, id",
)  # fmt: skip
QUESTION_COLUMNS = (
    "id", "task_id", "kind", "version", "reason", "level", "missing_fields",
    "provided", "created_at", "due_at",
)  # fmt: skip

# The form that we give out. `UUID()` would take braces and more for the same task.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def task_of(caller_id: uuid.UUID, task_id: str, select: Select) -> Row:
    """One task of this caller, read by ID, STATUS or TASK; TASK_NOT_FOUND."""
    if not _UUID.fullmatch(task_id):
        raise SynapseError(Code.TASK_NOT_FOUND)
    row = select.first(uuid.UUID(task_id), caller_id)
    if row is None:
        raise SynapseError(Code.TASK_NOT_FOUND)
    return row


def open_questions(tasks: Iterable[Row]) -> dict[uuid.UUID, Row]:
    """The open question of each task that waits for an answer."""
    waiting = [task["id"] for task in tasks if task["state"] in WAITING]
    if not waiting:
        return {}
    found = Question.objects.filter(task_id__in=waiting, state=QuestionState.OPEN)
    return {row["task_id"]: row for row in found.values(*QUESTION_COLUMNS)}


def files_of(task: Row) -> list[Row]:
    """The files of a task, oldest first."""
    return FILES.rows(task["id"])


def file_of(task: Row, file_id: str) -> Attachment:
    """One file of the task; FILE_NOT_FOUND."""
    found = None
    if _UUID.fullmatch(file_id):
        found = Attachment.objects.filter(pk=file_id, task_id=task["id"]).first()
    if found is None:
        raise SynapseError(Code.FILE_NOT_FOUND)
    return found
