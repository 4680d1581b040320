"""GET /task/{id} and its status (P2A 7.2, 7.3, decision 31)."""

import json
from collections.abc import Callable

from django.core.files.uploadedfile import SimpleUploadedFile

from agents_app.protocol.payloads import ErrorObject
from agents_app.protocol.times import parse_rfc3339
from tasks_app.models import Question, Task
from tests.api.conftest import Program

Drain = Callable[[], None]


def test_it_shows_a_new_task_with_every_key_of_the_seed(program: Program) -> None:
    task = program.task(program.submit(external_task_id="mine", priority="low"))
    shown = {key: task[key] for key in ("type", "status", "progress", "message")}
    assert shown == {
        "type": "probe_echo",
        "status": "received",
        "progress": 0,
        "message": "Received.",
    }
    for key in ("completed_at", "eta", "result", "error", "pending_action"):
        assert task[key] is None
    assert (task["external_task_id"], task["priority"]) == ("mine", "low")
    assert task["created_at"] == task["updated_at"]
    assert parse_rfc3339(task["created_at"])


def test_it_shows_the_result_of_a_completed_task(
    program: Program, drain: Drain
) -> None:
    task_id = program.submit(payload={"a": 1})
    drain()
    task = program.task(task_id)
    assert (task["status"], task["a2a_state"], task["progress"]) == (
        "completed",
        "completed",
        100,
    )
    assert task["result"]["payload"] == {"a": 1}
    assert task["completed_at"] >= task["created_at"]


def test_it_shows_the_error_of_a_failed_task(program: Program, drain: Drain) -> None:
    task_id = program.submit("probe_fail", {"message": "No luck."})
    drain()
    task = program.task(task_id)
    assert (task["status"], task["result"]) == ("failed", None)
    assert task["error"] == {
        "code": 2006,
        "category": "task",
        "message": "No luck.",
        "details": {},
        "retry_after": None,
    }


def test_it_tells_a_rejection_from_a_failure(program: Program, task: Task) -> None:
    error = ErrorObject(code=2012, message="Not today.", details={"why": "closed"})
    Task.objects.filter(pk=task.pk).update(state="rejected", error=error.to_json())
    shown = program.task(str(task.pk))
    assert shown["status"] == "failed"
    assert shown["error"]["details"] == {"why": "closed", "a2a_state": "rejected"}


def test_it_shows_which_facts_are_missing(program: Program, asking: str) -> None:
    question = Question.objects.get()
    pending = program.task(asking)["pending_action"]
    assert pending.pop("since") < pending.pop("due_at")
    assert pending == {
        "kind": "info",
        "reason": "The probe asks for them.",
        "missing_fields": [{"name": "colour", "required": True}],
        "level": None,
        "request_id": str(question.pk),
        "version": 1,
    }


def test_it_shows_that_a_person_must_decide(program: Program, deciding: str) -> None:
    task = program.task(deciding)
    pending = task["pending_action"]
    assert (task["status"], task["a2a_state"]) == ("processing", "need_human")
    assert (pending["kind"], pending["level"]) == ("human", 2)
    assert pending["reason"] == "The probe asks."
    assert pending["missing_fields"] is None


def test_it_keeps_what_operators_are_shown(program: Program, deciding: str) -> None:
    Question.objects.update(
        reason={"summary": "Ask.", "note": "secret"},
        suggested_value={"limit": "secret"},
    )
    assert b"secret" not in program.get(f"/task/{deciding}").content
    assert b"secret" not in program.get(f"/task/{deciding}/status").content


def test_it_lists_the_files_of_a_task(program: Program) -> None:
    upload = SimpleUploadedFile("a.csv", b"1;2", "text/csv")
    parts = {"task_type": "probe_echo", "payload": "{}", "file": upload}
    task_id = program.form(parts).json()["task_id"]
    (file,) = program.task(task_id)["files"]
    assert file == {
        "file_id": file["file_id"],
        "kind": "input",
        "name": "a.csv",
        "content_type": "text/csv",
        "size": 3,
        "sha256": "cbf6d3a344b6cdc05893f974cbab31c42bdafe2bf0acee2aa8f02f834e53a160",
        "url": f"/api/v1/synapse/task/{task_id}/files/{file['file_id']}",
    }


def test_it_answers_the_short_form(program: Program) -> None:
    task_id = program.submit()
    response = program.get(f"/task/{task_id}/status")
    body = response.json()
    assert body == {
        "success": True,
        "task_id": task_id,
        "status": "received",
        "progress": 0,
        "message": "Received.",
        "eta": None,
        "updated_at": body["updated_at"],
        "error": None,
        "a2a_state": "pending",
        "pending_action": None,
    }
    assert response["Retry-After"] == "5"


def test_it_shows_in_short_what_is_missing(program: Program, asking: str) -> None:
    body = program.get(f"/task/{asking}/status").json()
    assert body["status"] == "processing"
    assert body["pending_action"]["missing_fields"][0]["name"] == "colour"


def test_it_answers_304_until_something_changes(program: Program, drain: Drain) -> None:
    path = f"/task/{program.submit()}/status"
    etag = program.get(path)["ETag"]
    unchanged = program.get(path, If_None_Match=f'"other", W/{etag}')
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert (unchanged["ETag"], unchanged["Retry-After"]) == (etag, "5")
    drain()
    changed = program.get(path, If_None_Match=etag)
    assert (changed.status_code, changed.json()["status"]) == (200, "completed")


def test_it_sends_nobody_back_to_a_task_that_ended(
    program: Program, drain: Drain
) -> None:
    task_id = program.submit()
    drain()
    response = program.get(f"/task/{task_id}/status")
    assert "Retry-After" not in response
    assert program.get(f"/task/{task_id}/status", If_None_Match="*").status_code == 304


def test_it_answers_head_like_get(program: Program) -> None:
    task_id = program.submit()
    response = program.send("HEAD", f"/task/{task_id}/status")
    assert (response.status_code, response.content) == (200, b"")
    assert response["ETag"]


def test_it_reads_a_task_by_its_id_in_capitals(program: Program) -> None:
    task_id = program.submit()
    assert program.task(task_id.upper())["id"] == task_id


def test_it_answers_in_utf_8(program: Program, drain: Drain) -> None:
    task_id = program.submit(payload={"city": "東京"})
    drain()
    content = program.get(f"/task/{task_id}").content
    assert "東京".encode() in content
    assert json.loads(content)["task"]["result"]["payload"] == {"city": "東京"}


def test_it_says_how_long_an_answer_is(program: Program) -> None:
    response = program.get("/capabilities")
    assert int(response.headers["Content-Length"]) == len(response.content)
