"""What the page of a task shows: one query per table, and of each table a page.

Whatever a task did, its page stays small: what is older has a page of its own, or a
list, and what is large can be downloaded.
"""

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone

from agents_app.protocol.states import TERMINAL, TaskState, public_status
from tasks_app.admin import door, files, moods, names
from tasks_app.admin.summary import summary_of
from tasks_app.admin.task import stopping
from tasks_app.admin.task.timeline import timeline
from tasks_app.admin.tree import tree
from tasks_app.admin.when import milliseconds, span
from tasks_app.models import Attachment, Attempt, Delivery, Question, Task

M = TypeVar("M", bound=Model)
# Rows of each table, the newest.
SHOWN = 50
# What a question holds for its own page.
_UNSHOWN = (
    "options",
    "suggested_value",
    "decision_schema",
    "missing_fields",
    "provided",
    "answer",
)


def context_of(request: HttpRequest, task: Task) -> dict[str, Any]:
    """Everything but the frame. Any: what a template takes."""
    now = timezone.now()
    status = str(public_status(TaskState(task.state)))
    asked = Question.objects.filter(task=task).defer(*_UNSHOWN).order_by("-version")
    questions, more_questions = _newest(asked)
    ended = task.state in TERMINAL
    return {
        "task": task,
        "public": status,
        "mood": moods.TASK.get(status, ""),
        "state": task.state.replace("_", " "),
        "ran": milliseconds((task.completed_at or now) - task.created_at),
        "age": span(now - task.created_at),
        "payload": tree(task.payload),
        "result": tree(task.result),
        "error": tree(task.error),
        "log": timeline(task, _before(request)),
        "questions": [_asked(question) for question in questions],
        "more_questions": more_questions,
        "open_question": next((q for q in questions if q.is_open), None),
        **_attempts(task),
        **_files(task),
        **_deliveries(task),
        "retries": list(task.retries.order_by("-id").values_list("pk", flat=True)[:20]),
        "ended": ended,
        "cancel_label": stopping.way_of(task)[1].verb,
        "may_cancel": not ended and door.may(request, "cancel_task"),
        "may_retry": ended and door.may(request, "retry_task"),
        "may_download": files.may_open(request, task.pk),
        "may_see_trace": door.may(request, "view_attempt"),
        "may_see_callbacks": door.may(request, "view_delivery"),
    }


def _before(request: HttpRequest) -> int | None:
    """Which page of the log; 404 for what leads to none."""
    text = request.GET.get("before")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Http404
    return int(text)


def _newest(rows: QuerySet[M]) -> tuple[list[M], bool]:
    """The first of them, and whether there are more."""
    found = list(rows[: SHOWN + 1])
    return found[:SHOWN], len(found) > SHOWN


def _attempts(task: Task) -> dict[str, object]:
    rows, more = _newest(Attempt.objects.filter(task=task).order_by("-number"))
    shown = [
        {"row": one, "ran": milliseconds(one.ended_at - one.started_at)} for one in rows
    ]
    return {"attempts": shown, "more_attempts": more}


def _files(task: Task) -> dict[str, object]:
    rows, more = _newest(Attachment.objects.filter(task=task))
    return {"files": names.to_be_shown(rows), "more_files": more}


def _asked(question: Question) -> dict[str, object]:
    page = "decide" if question.kind == Question.Kind.HUMAN else "provide"
    model = "humanrequest" if page == "decide" else "inforequest"
    return {
        "row": question,
        "summary": summary_of(question),
        "url_name": f"admin:tasks_app_{model}_{page}",
    }


def _deliveries(task: Task) -> dict[str, object]:
    rows = Delivery.objects.filter(task=task).defer("body").order_by("-sequence")
    shown, more = _newest(rows)
    return {"deliveries": shown, "more_deliveries": more}
