"""GET tasks/{task_id}: the status query that A2A chapter 8 asks of every agent."""

from collections.abc import Mapping
from datetime import datetime

from agents_app.models import Agent
from agents_app.protocol.times import rfc3339
from tasks_app import inbox
from tasks_app.models import Question, QuestionState, Task

_COLUMNS = (
    "state", "progress", "status_message", "eta", "result", "error", "created_at",
    "updated_at", "completed_at",
)  # fmt: skip


def of_task(peer: Agent, task_id: str) -> Mapping[str, object]:
    """A task of which the peer is one side; TASK_NOT_FOUND for all others (G33).

    `question` is the open one, under the names that its answer has to carry.
    """
    task, _ = inbox.find(peer, task_id)
    row = Task.objects.values(*_COLUMNS).get(pk=task.id)
    question = Question.objects.filter(
        task_id=task.id, state=QuestionState.OPEN
    ).first()
    return {
        "success": True,
        "task_id": task.wire_id,
        "task_type": task.task_type,
        "state": row["state"],
        "progress": row["progress"],
        "message": row["status_message"],
        "eta": _time(row["eta"]),
        "result": row["result"],
        "error": row["error"],
        "question": None if question is None else _asked(question),
        "created_at": _time(row["created_at"]),
        "updated_at": _time(row["updated_at"]),
        "completed_at": _time(row["completed_at"]),
    }


def _asked(question: Question) -> Mapping[str, object]:
    shown: dict[str, object] = {
        "kind": question.kind,
        "request_id": question.request_id,
        "version": question.wire_version,
        "since": rfc3339(question.created_at),
        "due_at": rfc3339(question.due_at),
        "reason": question.reason,
    }
    if question.kind == Question.Kind.INFO:
        return shown | {"missing_fields": question.missing_fields}
    return shown | {
        "escalation_level": question.level,
        "options": question.options,
        "suggested_value": question.suggested_value,
        "decision_schema": question.decision_schema,
    }


def _time(moment: datetime | None) -> str | None:
    return rfc3339(moment) if moment else None
