"""POST /task/{id}/info: the caller answers (decisions 11 and 12)."""

from collections.abc import Callable

import pytest

from tasks_app.models import Message
from tests.api.conftest import Program, error_of, invalid_fields

Drain = Callable[[], None]


def _answer(program: Program, task_id: str, info: object, **fields: object):
    return program.post(f"/task/{task_id}/info", {"provided_info": info} | fields)


def test_it_lets_the_agent_go_on(program: Program, asking: str, drain: Drain) -> None:
    response = _answer(program, asking, {"colour": "blue"})
    body = response.json()
    assert (response.status_code, body["a2a_state"]) == (200, "info_provided")
    assert (body["status"], body["pending_action"]) == ("processing", None)
    drain()
    assert program.task(asking)["result"] == {"provided": {"colour": "blue"}}


def test_it_logs_who_answered(program: Program, asking: str) -> None:
    _answer(program, asking, {"colour": "blue"})
    message = Message.objects.get(type="p2p:task_info_provided")
    assert message.payload["provided_info"] == {"colour": "blue"}
    assert message.sender.startswith("caller:")


def test_it_adds_up_partial_answers(program: Program, drain: Drain) -> None:
    task_id = program.submit("probe_need_info", {"fields": ["colour", "size"]})
    drain()
    body = _answer(program, task_id, {"size": 3}).json()
    assert body["a2a_state"] == "info_needed"
    missing = body["pending_action"]["missing_fields"]
    assert [field["name"] for field in missing] == ["colour"]
    assert _answer(program, task_id, {"colour": "red"}).json()["pending_action"] is None
    drain()
    provided = program.task(task_id)["result"]["provided"]
    assert provided == {"colour": "red", "size": 3}


@pytest.mark.parametrize("info", [{}, {"shape": "round"}])
def test_it_takes_only_what_was_asked_for(
    program: Program, asking: str, info: object
) -> None:
    error = error_of(_answer(program, asking, info), 422)
    assert error["code"] == 3002
    assert program.task(asking)["a2a_state"] == "info_needed"


@pytest.mark.parametrize("body", [{}, {"provided_info": []}, {"provided_info": None}])
def test_it_names_what_is_wrong(program: Program, asking: str, body: object) -> None:
    response = program.post(f"/task/{asking}/info", body)
    assert list(invalid_fields(response)) == ["provided_info"]


@pytest.mark.parametrize("version", [0, "1", 1.5, True])
def test_it_takes_whole_versions(
    program: Program, asking: str, version: object
) -> None:
    response = _answer(program, asking, {"colour": "blue"}, version=version)
    assert list(invalid_fields(response)) == ["version"]


def test_it_refuses_an_answer_to_another_question(
    program: Program, asking: str
) -> None:
    response = _answer(program, asking, {"colour": "blue"}, version=2)
    error = error_of(response, 409)
    assert (error["code"], error["details"]) == (2014, {"version": 1})


def test_it_says_when_nothing_is_asked(program: Program) -> None:
    response = _answer(program, program.submit(), {"colour": "blue"})
    assert error_of(response, 409)["code"] == 3001


def test_it_says_when_the_task_has_ended(program: Program, drain: Drain) -> None:
    task_id = program.submit()
    drain()
    assert error_of(_answer(program, task_id, {"a": 1}), 409)["code"] == 2002
