"""What the page of a task shows; one query per table, whatever the task did."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from agents_app.protocol.states import TERMINAL, TaskState, public_status
from tasks_app.admin import door, files, moods
from tasks_app.admin.summary import summary_of
from tasks_app.admin.task.timeline import timeline
from tasks_app.admin.tree import tree
from tasks_app.admin.when import milliseconds, span
from tasks_app.models import Attachment, Attempt, Delivery, Question, Task

_DELIVERIES = 50


def context_of(request: HttpRequest, task: Task) -> dict[str, Any]:
    """Everything but the frame. Any: what a template takes."""
    now = timezone.now()
    status = str(public_status(TaskState(task.state)))
    entries, hidden = timeline(task)
    questions = list(Question.objects.filter(task=task).order_by("-version"))
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
        "entries": entries,
        "hidden": hidden,
        "attempts": _attempts(task),
        "questions": [_asked(question) for question in questions],
        "open_question": next((q for q in questions if q.is_open), None),
        "files": list(Attachment.objects.filter(task=task)),
        "deliveries": _deliveries(task),
        "retries": list(task.retries.order_by("-id").values_list("pk", flat=True)[:20]),
        "ended": ended,
        "may_cancel": not ended and door.may(request, "cancel_task"),
        "may_retry": ended and door.may(request, "retry_task"),
        "may_download": files.may_open(request, task.pk),
        "may_see_trace": door.may(request, "view_attempt"),
        "may_see_callbacks": door.may(request, "view_delivery"),
    }


def _attempts(task: Task) -> list[dict[str, object]]:
    return [
        {"row": one, "ran": milliseconds(one.ended_at - one.started_at)}
        for one in Attempt.objects.filter(task=task).order_by("-number")
    ]


def _asked(question: Question) -> dict[str, object]:
    page = "decide" if question.kind == Question.Kind.HUMAN else "provide"
    model = "humanrequest" if page == "decide" else "inforequest"
    return {
        "row": question,
        "summary": summary_of(question),
        "url_name": f"admin:tasks_app_{model}_{page}",
    }


def _deliveries(task: Task) -> list[Delivery]:
    rows = Delivery.objects.filter(task=task).defer("body").order_by("-sequence")
    return list(rows[:_DELIVERIES])
