"""POST /task/{id}/cancel: an honest answer (G11)."""

from collections.abc import Callable

import pytest

from tasks_app import claiming
from tasks_app.models import Message, Question, Task
from tests.api.conftest import Program, error_of, invalid_fields
from tests.tasks.racing import race

Drain = Callable[[], None]


def _state(task_id: str) -> str:
    return Task.objects.get(pk=task_id).state


def test_it_cancels_before_the_start_g11(program: Program) -> None:
    task_id = program.submit()
    response = program.send("POST", f"/task/{task_id}/cancel")
    assert response.status_code == 200
    assert response.json() == {
        "success": True,
        "task_id": task_id,
        "status": "cancelled",
        "message": "Cancelled.",
        "error": None,
        "a2a_state": "cancelled",
        "pending_action": None,
    }
    assert _state(task_id) == "cancelled"


def test_it_cancels_while_an_attempt_runs_g11(program: Program) -> None:
    task_id = program.submit()
    claiming.claim("default", worker="w", limit=1, fits=lambda task: True)
    assert _state(task_id) == "executing"
    response = program.post(f"/task/{task_id}/cancel")
    assert (response.status_code, _state(task_id)) == (200, "cancelled")


def test_it_cancels_a_task_that_waits_for_a_person_g11(
    program: Program, deciding: str
) -> None:
    assert program.post(f"/task/{deciding}/cancel").status_code == 200
    assert Question.objects.get().state == "withdrawn"
    assert program.task(deciding)["pending_action"] is None


def test_it_says_again_that_a_task_is_cancelled_g11(program: Program) -> None:
    task_id = program.submit()
    first, second = (program.post(f"/task/{task_id}/cancel") for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert Message.objects.filter(task=task_id, type="p2p:task_cancel").count() == 1


@pytest.mark.parametrize(
    ("task_type", "state"), [("probe_echo", "completed"), ("probe_fail", "failed")]
)
def test_it_does_not_cancel_what_has_ended_g11(
    program: Program, drain: Drain, task_type: str, state: str
) -> None:
    task_id = program.submit(task_type)
    drain()
    error = error_of(program.post(f"/task/{task_id}/cancel"), 409)
    assert (error["code"], error["details"]["state"]) == (2002, state)
    assert _state(task_id) == state


def test_it_keeps_the_reason_in_the_log(program: Program) -> None:
    task_id = program.submit()
    program.post(f"/task/{task_id}/cancel", {"reason": "Ordered twice."})
    message = Message.objects.get(task=task_id, type="p2p:task_cancel")
    assert message.payload["reason"] == "Ordered twice."
    assert message.sender.startswith("caller:")


@pytest.mark.parametrize("reason", [7, "x" * 1001])
def test_it_refuses_a_reason_that_is_none(program: Program, reason: object) -> None:
    task_id = program.submit()
    response = program.post(f"/task/{task_id}/cancel", {"reason": reason})
    assert list(invalid_fields(response)) == ["reason"]
    assert _state(task_id) == "pending"


def test_it_takes_no_body_but_json(program: Program) -> None:
    task_id = program.submit()
    response = program.send("POST", f"/task/{task_id}/cancel", "a=b", "text/plain")
    assert error_of(response, 415)["code"] == 1015


@pytest.mark.django_db(transaction=True)
def test_it_agrees_with_the_task_when_many_cancel_at_once_g11(program: Program) -> None:
    task_id = program.submit()
    answers = race(*[lambda: program.post(f"/task/{task_id}/cancel")] * 5)
    assert [answer.status_code for answer in answers] == [200] * 5
    assert Message.objects.filter(task=task_id, type="p2p:task_cancel").count() == 1
