"""GET /tasks of tasks that hold megabytes: what is large is left to the detail."""

import tracemalloc
from typing import Any

import pytest
from django.utils import timezone

from agents_app.protocol.states import TaskState
from tasks_app.api import listed
from tasks_app.models import Attachment, Question, Task
from tests.api.conftest import Program

ERROR = {
    "code": 9001,
    "category": "task",
    "message": "No paper.",
    "details": {"trays": ["A4"]},
    "retry_after": 7,
}
# The shapes that take most: one long text, text that packs well, many numbers.
LARGE = {
    "text": {"a": "".join(map(str, range(40_000)))},
    "same": {"a": "x" * 200_000},
    "keys": {f"k{n}": n for n in range(10_000)},
}


def _listed(program: Program) -> dict[str, Any]:
    (task,) = program.get("/tasks").json()["tasks"]
    return task


def _change(task: Task, **values: object) -> None:
    Task.objects.filter(pk=task.pk).update(**values)


@pytest.mark.parametrize("result", LARGE.values(), ids=LARGE)
def test_it_leaves_a_large_result_to_the_detail(
    program: Program, task: Task, result: object
) -> None:
    _change(task, result=result, state=TaskState.COMPLETED)
    assert program.task(str(task.pk))["result"] == result
    shown = _listed(program)
    assert (shown["result"], shown["shortened"]) == (None, ["result"])
    assert shown["status"] == "completed"


def test_it_shows_a_result_that_is_small(program: Program, task: Task) -> None:
    result = {"text": "x" * (listed.MAX_RESULT - 100), "n": None}
    _change(task, result=result)
    assert (_listed(program)["result"], _listed(program)["shortened"]) == (result, [])


def test_it_tells_no_result_from_one_left_out(program: Program, task: Task) -> None:
    assert (_listed(program)["result"], _listed(program)["shortened"]) == (None, [])


def test_it_leaves_the_details_of_a_large_error_out(
    program: Program, task: Task
) -> None:
    _change(task, error=ERROR, state=TaskState.FAILED)
    assert _listed(program)["error"] == ERROR
    _change(task, error=ERROR | {"details": LARGE["text"]})
    shown = _listed(program)
    assert shown["error"] == ERROR | {"details": {}}
    assert shown["shortened"] == ["error"]


def test_it_cuts_long_texts(program: Program, task: Task) -> None:
    text = "é" * 50_000
    cut = text[: listed.MAX_TEXT] + "…"
    _change(task, status_message=text, error=ERROR | {"message": text})
    shown = _listed(program)
    assert (shown["message"], shown["error"]["message"]) == (cut, cut)
    assert shown["shortened"] == ["error", "message"]
    assert program.task(str(task.pk))["message"] == text


@pytest.mark.parametrize(
    ("part", "value", "left"),
    [
        ("reason", {"summary": "x" * 50_000}, "reason"),
        ("missing_fields", [{"name": "n" * 50_000}], "missing_fields"),
        ("provided", {"other": "x" * 50_000}, "missing_fields"),
    ],
)
def test_it_leaves_out_what_a_large_question_asks(
    program: Program, asking: str, part: str, value: object, left: str
) -> None:
    whole = _listed(program)
    assert whole["pending_action"][left] is not None
    Question.objects.filter(task_id=asking).update(**{part: value})
    shown = _listed(program)
    assert shown["pending_action"] == whole["pending_action"] | {left: None}
    assert shown["shortened"] == ["pending_action"]


def test_it_shows_the_first_of_many_files(program: Program, task: Task) -> None:
    for number in range(listed.MAX_FILES + 2):
        Attachment.objects.create(
            task=task,
            kind=Attachment.Kind.RESULT,
            name=f"{number}.txt",
            content_type="text/plain",
            size=1,
            sha256="0" * 64,
            created_at=timezone.now(),
        )
    shown = _listed(program)
    all_files = program.task(str(task.pk))["files"]
    assert shown["files"] == all_files[: listed.MAX_FILES]
    assert shown["shortened"] == ["files"]


def test_it_holds_no_large_value_in_memory(program: Program) -> None:
    for _ in range(20):
        program.submit()
    Task.objects.update(result=LARGE["text"], error=ERROR | {"details": LARGE["same"]})
    program.get("/tasks?limit=1")
    tracemalloc.start()
    try:
        page = program.get("/tasks?limit=100").json()["tasks"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(page) == 20
    assert peak < 2_000_000, "20 tasks hold 8 MB"
