"""What callers may read: rows of their own tasks, and only the columns that are shown.

Somebody else's task, an unknown one and a malformed id are the same: TASK_NOT_FOUND,
found out by the same SELECT where there is one (G52).
"""

import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import WAITING
from tasks_app.models import Attachment, Question, QuestionState, Task

# Any: a row has columns of every type.
Row = Mapping[str, Any]

STATUS_COLUMNS = (
    "id", "state", "generation", "progress", "status_message", "eta", "updated_at",
    "error",
)  # fmt: skip
TASK_COLUMNS = (
    *STATUS_COLUMNS, "task_type", "external_task_id", "priority", "result",
    "created_at", "completed_at",
)  # fmt: skip
_QUESTION_COLUMNS = (
    "id", "task_id", "kind", "version", "reason", "level", "missing_fields",
    "provided", "created_at", "due_at",
)  # fmt: skip
_FILE_COLUMNS = ("id", "task_id", "kind", "name", "content_type", "size", "sha256")

# The form that we give out. `UUID()` would take braces and more for the same task.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def task_of(caller_id: uuid.UUID, task_id: str, columns: Iterable[str]) -> Row:
    """One task of this caller; TASK_NOT_FOUND."""
    own = Task.objects.filter(pk=_id(task_id), caller_id=caller_id)
    row: Row | None = own.values(*columns).first()
    if row is None:
        raise SynapseError(Code.TASK_NOT_FOUND)
    return row


def open_questions(tasks: Iterable[Row]) -> dict[uuid.UUID, Row]:
    """The open question of each task that waits for an answer."""
    waiting = [task["id"] for task in tasks if task["state"] in WAITING]
    if not waiting:
        return {}
    found = Question.objects.filter(task_id__in=waiting, state=QuestionState.OPEN)
    return {row["task_id"]: row for row in found.values(*_QUESTION_COLUMNS)}


def files_of(tasks: Iterable[Row]) -> dict[uuid.UUID, list[Row]]:
    """The files of each task, oldest first; input before result where equal."""
    files: dict[uuid.UUID, list[Row]] = {task["id"]: [] for task in tasks}
    found = Attachment.objects.filter(task_id__in=list(files))
    for row in found.values(*_FILE_COLUMNS):
        files[row["task_id"]].append(row)
    return files


def file_of(task: Row, file_id: str) -> Attachment:
    """One file of the task; FILE_NOT_FOUND."""
    found = None
    if _UUID.fullmatch(file_id):
        found = Attachment.objects.filter(pk=file_id, task_id=task["id"]).first()
    if found is None:
        raise SynapseError(Code.FILE_NOT_FOUND)
    return found


def _id(text: str) -> uuid.UUID:
    if not _UUID.fullmatch(text):
        raise SynapseError(Code.TASK_NOT_FOUND)
    return uuid.UUID(text)
