"""The rows of a page of GET /tasks: what is large in a task stays in the database.

A task may hold megabytes, a page a hundred tasks. The result belongs to the detail
(P2A 2.2); a list shows it too as long as it is small. What is left out does not depend
on the other tasks of the page, so a task looks the same in every list.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, Func, JSONField, Q, QuerySet, Window
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Left, RowNumber

from agents_app.protocol.states import WAITING
from tasks_app.api.reading import FILES, QUESTION_COLUMNS, TASK, Row
from tasks_app.models import Attachment, Question, QuestionState, Task

# Bytes, about those of the JSON text; `shortened` tells the caller.
MAX_RESULT = 16_384
MAX_VALUE = 4_096
# Characters of a text for people.
MAX_TEXT = 1_000
MAX_FILES = 32

_PLAIN = [name for name in TASK.columns if name not in ("result", "error")]
ASKED = ("reason", "missing_fields", "provided")


class _IfSmall(Func):
    """A JSON column (an object or a list), or NULL where it takes more than `limit`.

    Optimization: PostgreSQL looks at the stored size first, then at that in memory,
    for which it need not write text: removing nothing (#-) gives the value unpacked.
    """

    output_field = JSONField()

    def __init__(self, column: str, limit: int) -> None:
        super().__init__(F(column), limit=int(limit))

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Any: as in Django."""
        template = (
            "CASE WHEN pg_column_size(%(expressions)s) > %(limit)s THEN NULL "
            "WHEN pg_column_size(%(expressions)s #- '{}') <= %(limit)s "
            "THEN %(expressions)s END"
        )
        return self.as_sql(compiler, connection, template=template, **context)

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Any: as in Django."""
        template = (
            "CASE WHEN length(CAST(%(expressions)s AS BLOB)) <= %(limit)s "
            "THEN %(expressions)s END"
        )
        return self.as_sql(compiler, connection, template=template, **context)


# Any: rows are read as plain values.
def rows(ids: "QuerySet[Task, Any]") -> list[dict[str, Any]]:
    """The tasks with these ids, newest first, each with the set `shortened`."""
    found = Task.objects.filter(pk__in=ids).order_by("-created_at", "-id")
    read = found.values(
        *(name for name in _PLAIN if name != "status_message"),
        shown_message=Left("status_message", MAX_TEXT + 1),
        shown_result=_IfSmall("result", MAX_RESULT),
        has_result=Q(result__isnull=False),
        shown_error=_IfSmall("error", MAX_VALUE),
        has_error=Q(error__isnull=False),
    )
    tasks = [_told(row) for row in read]
    _fill_errors([task for task in tasks if "error" in task["shortened"]])
    return tasks


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """Under the names of the columns."""
    shortened: set[str] = set()
    for name in ("result", "error"):
        row[name] = row.pop(f"shown_{name}")
        if row.pop(f"has_{name}") and row[name] is None:
            shortened.add(name)
    text = row.pop("shown_message")
    if len(text) > MAX_TEXT:
        shortened.add("message")
    return row | {"status_message": _cut(text), "shortened": shortened}


def _fill_errors(tasks: Sequence[dict[str, Any]]) -> None:
    """Large errors, which are rare, keep everything but their details."""
    if not tasks:
        return
    by_id = {task["id"]: task for task in tasks}
    found = Task.objects.filter(pk__in=list(by_id)).values(
        "id",
        code=KeyTransform("code", "error"),
        category=KeyTextTransform("category", "error"),
        said=Left(KeyTextTransform("message", "error"), MAX_TEXT + 1),
        retry_after=KeyTransform("retry_after", "error"),
    )
    for row in found:
        by_id[row["id"]]["error"] = {
            "code": row["code"],
            "category": row["category"],
            "message": _cut(row["said"]),
            "details": {},
            "retry_after": row["retry_after"],
        }


def open_questions(tasks: Iterable[Row]) -> dict[UUID, Row]:
    """As `reading.open_questions`; a part that is too large is null."""
    waiting = [task["id"] for task in tasks if task["state"] in WAITING]
    if not waiting:
        return {}
    found = Question.objects.filter(task_id__in=waiting, state=QuestionState.OPEN)
    read = found.values(
        *(name for name in QUESTION_COLUMNS if name not in ASKED),
        **{f"shown_{name}": _IfSmall(name, MAX_VALUE) for name in ASKED},
    )
    return {row["task_id"]: _asked(row) for row in read}


def _asked(row: dict[str, Any]) -> Row:
    return row | {name: row.pop(f"shown_{name}") for name in ASKED}


def files_of_all(tasks: Iterable[Row]) -> dict[UUID, list[Row]]:
    """The files of each task, oldest first; one more than MAX_FILES if there are."""
    files: dict[UUID, list[Row]] = {task["id"]: [] for task in tasks}
    numbered = Attachment.objects.filter(task_id__in=list(files)).annotate(
        number=Window(
            RowNumber(), partition_by=F("task_id"), order_by=["created_at", "id"]
        )
    )
    found = numbered.filter(number__lte=MAX_FILES + 1).order_by("created_at", "id")
    for row in found.values(*FILES.columns):
        files[row["task_id"]].append(row)
    return files


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"
