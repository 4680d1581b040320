"""How a task looks to its caller (P2A chapter 7): every key always there, null or not.

What we add to the seed: `a2a_state`, `pending_action`, `external_task_id`, `priority`
and `files`; in lists also `shortened`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from agents_app.protocol.states import TaskState, public_status
from agents_app.protocol.times import rfc3339
from tasks_app.api import addresses, listed
from tasks_app.api.reading import Row
from tasks_app.changes import Snapshot
from tasks_app.models import Question

Shown = dict[str, object]


def accepted(task: Snapshot) -> Shown:
    """The answer to a submit (7.1)."""
    return _answer_about(task)


def changed(task: Snapshot, pending: Shown | None = None) -> Shown:
    """The answer to a cancel or to provided information (decision 31)."""
    return _answer_about(task) | {"pending_action": pending}


def status(row: Row, question: Row | None) -> Shown:
    """The short form (decision 31)."""
    return {
        "success": True,
        "task_id": str(row["id"]),
        "status": _status(row["state"]),
        "progress": row["progress"],
        "message": row["status_message"],
        "eta": _time(row["eta"]),
        "updated_at": _time(row["updated_at"]),
        "error": _error(row),
        "a2a_state": row["state"],
        "pending_action": None if question is None else pending_action(question),
    }


def task(row: Row, question: Row | None, files: Iterable[Row]) -> Shown:
    """The long form (7.3)."""
    return {
        "id": str(row["id"]),
        "type": row["task_type"],
        "status": _status(row["state"]),
        "progress": row["progress"],
        "message": row["status_message"],
        "created_at": _time(row["created_at"]),
        "updated_at": _time(row["updated_at"]),
        "completed_at": _time(row["completed_at"]),
        "eta": _time(row["eta"]),
        "result": row["result"],
        "error": _error(row),
        "a2a_state": row["state"],
        "pending_action": None if question is None else pending_action(question),
        "external_task_id": row["external_task_id"],
        "priority": row["priority"],
        "files": [_file(file) for file in files],
    }


def in_list(row: Row, question: Row | None, files: Sequence[Row]) -> Shown:
    """The long form as far as a list shows it (see `listed`)."""
    shortened = set(row["shortened"])
    if question is not None and None in (question[part] for part in listed.ASKED):
        shortened.add("pending_action")
    if len(files) > listed.MAX_FILES:
        shortened.add("files")
    shown = task(row, question, files[: listed.MAX_FILES])
    return shown | {"shortened": sorted(shortened)}


def pending_action(question: Row) -> Shown:
    """What the task waits for, and until when.

    Of a decision the caller learns that it is due and why in one line; what operators
    are shown stays with them. Of missing fields those that are still missing. A part
    that a list left out is null.
    """
    info = question["kind"] == Question.Kind.INFO
    summary = (question["reason"] or {}).get("summary")
    return {
        "kind": question["kind"],
        "reason": summary if isinstance(summary, str) else None,
        "missing_fields": _still_missing(question) if info else None,
        "level": None if info else question["level"],
        "request_id": str(question["id"]),
        "version": question["version"],
        "since": _time(question["created_at"]),
        "due_at": _time(question["due_at"]),
    }


def _still_missing(question: Row) -> list[object] | None:
    asked, provided = question["missing_fields"], question["provided"]
    if asked is None or provided is None:
        return None
    return [field for field in asked if field["name"] not in provided]


def _answer_about(task: Snapshot) -> Shown:
    return {
        "success": True,
        "task_id": str(task.id),
        "status": _status(task.state),
        "message": task.status_message,
        "error": None,
        "a2a_state": str(task.state),
    }


def _file(row: Row) -> Shown:
    return {
        "file_id": str(row["id"]),
        "kind": row["kind"],
        "name": row["name"],
        "content_type": row["content_type"],
        "size": row["size"],
        "sha256": row["sha256"],
        "url": addresses.of_file(row["task_id"], row["id"]),
    }


def _error(row: Row) -> Mapping[str, object] | None:
    """P2A knows no rejection: the details tell it from a failure (decision 21)."""
    error: Mapping[str, object] | None = row["error"]
    if error is None or row["state"] != TaskState.REJECTED:
        return error
    details = error.get("details")
    told = dict(details) if isinstance(details, Mapping) else {}
    return {**error, "details": {**told, "a2a_state": "rejected"}}


def _status(state: str) -> str:
    return str(public_status(TaskState(state)))


def _time(moment: datetime | None) -> str | None:
    return rfc3339(moment) if moment else None
