"""Submitting again is safe (G12, decision 30)."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from tasks_app.models import Message, Task
from tests.api.conftest import Program, error_of, invalid_fields
from tests.tasks.racing import race

BODY = {"task_type": "probe_echo", "payload": {"a": [1, 2.5], "b": None}}


def test_it_answers_a_repeat_with_the_first_task_g12(program: Program) -> None:
    first = program.post("/task", BODY, Idempotency_Key="k")
    second = program.post("/task", BODY, Idempotency_Key="k")
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    assert "Idempotency-Replayed" not in first
    assert second["Idempotency-Replayed"] == "true"
    assert second["Location"] == first["Location"]
    assert Message.objects.count() == 1


def test_it_sees_what_was_sent_and_not_how_g12(program: Program) -> None:
    program.post("/task", BODY, Idempotency_Key="k")
    spaced = """ {"payload": {"b": null, "a": [1, 2.5]}, "unknown": 1,
                  "priority": null, "task_type": "probe_echo"} """
    response = program.send("POST", "/task", spaced, Idempotency_Key="k")
    assert response["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize(
    "change",
    [
        {"payload": {"a": [1, 2.5], "b": 0}},
        {"payload": {"a": [1, 2.5]}},
        {"task_type": "probe_fail"},
        {"priority": "high"},
        {"external_task_id": "x"},
        {"callback_url": "http://127.0.0.1:8999/"},
        {"callback_token": "x"},
        {"callback_events": ["progress"]},
    ],
)
def test_it_refuses_other_content_under_the_same_key_g12(
    program: Program, change: dict[str, object]
) -> None:
    task_id = program.post("/task", BODY, Idempotency_Key="k").json()["task_id"]
    error = error_of(program.post("/task", BODY | change, Idempotency_Key="k"), 409)
    assert (error["code"], error["details"]) == (2004, {"task_id": task_id})
    assert Task.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "data", "status"), [("a", b"1", 202), ("b", b"1", 409), ("a", b"2", 409)]
)
def test_it_compares_files_too_g12(
    program: Program, name: str, data: bytes, status: int
) -> None:
    fields = {"task_type": "probe_echo", "payload": "{}"}
    first = SimpleUploadedFile("a", b"1", "text/plain")
    program.form(fields | {"file": first}, Idempotency_Key="k")
    again = SimpleUploadedFile(name, data, "text/plain")
    response = program.form(fields | {"file": again}, Idempotency_Key="k")
    assert response.status_code == status


def test_it_keeps_keys_of_callers_apart_g12(
    program: Program, stranger: Program
) -> None:
    first = program.post("/task", BODY, Idempotency_Key="k").json()
    second = stranger.post("/task", BODY, Idempotency_Key="k").json()
    assert first["task_id"] != second["task_id"]


def test_it_makes_two_tasks_without_a_key(program: Program) -> None:
    assert program.post("/task", BODY).json() != program.post("/task", BODY).json()


@pytest.mark.parametrize(("hours", "same"), [(23, True), (25, False)])
def test_it_remembers_a_key_for_a_day_g12(
    program: Program, hours: int, same: bool
) -> None:
    first = program.post("/task", BODY, Idempotency_Key="k").json()
    Task.objects.update(created_at=timezone.now() - timedelta(hours=hours))
    second = program.post("/task", BODY, Idempotency_Key="k").json()
    assert (first["task_id"] == second["task_id"]) is same


def test_it_shows_the_state_of_today_in_a_replay(program: Program) -> None:
    task_id = program.post("/task", BODY, Idempotency_Key="k").json()["task_id"]
    program.post(f"/task/{task_id}/cancel")
    replayed = program.post("/task", BODY, Idempotency_Key="k")
    assert (replayed.status_code, replayed.json()["status"]) == (202, "cancelled")


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "é", "\t", "a\x7f"])
def test_it_refuses_a_key_that_is_none(program: Program, key: str) -> None:
    response = program.post("/task", BODY, Idempotency_Key=key)
    assert list(invalid_fields(response)) == ["Idempotency-Key"]


def test_it_takes_a_key_as_long_as_it_promises(program: Program) -> None:
    assert program.post("/task", BODY, Idempotency_Key="~" * 255).status_code == 202


@pytest.mark.django_db(transaction=True)
def test_it_makes_one_task_of_twenty_at_once_g12(program: Program) -> None:
    send = lambda: program.post("/task", BODY, Idempotency_Key="k")  # noqa: E731
    answers = race(*[send] * 20)
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["task_id"] for answer in answers}) == 1
    replayed = [answer.get("Idempotency-Replayed") for answer in answers]
    assert (replayed.count(None), replayed.count("true")) == (1, 19)
    assert (Task.objects.count(), Message.objects.count()) == (1, 1)
