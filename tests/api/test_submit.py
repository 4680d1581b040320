"""POST /task: what is accepted (P2A 6.1, 7.1)."""

import json

import pytest

from tasks_app.models import Message, Task
from tests.api.conftest import Program, error_of, invalid_fields


def test_it_accepts_a_task_and_says_where_it_is(program: Program) -> None:
    response = program.post("/task", {"task_type": "probe_echo", "payload": {"a": 1}})
    body = response.json()
    task_id = body["task_id"]
    assert response.status_code == 202
    assert response["Location"] == f"/api/v1/synapse/task/{task_id}"
    assert body == {
        "success": True,
        "task_id": task_id,
        "status": "received",
        "message": "Received.",
        "error": None,
        "a2a_state": "pending",
    }


def test_it_stores_all_that_was_sent(program: Program) -> None:
    task_id = program.submit(
        payload={"a": "日本"}, external_task_id="mine", priority="high"
    )
    task = Task.objects.get(pk=task_id)
    assert task.payload == {"a": "日本"}
    assert (task.external_task_id, task.priority) == ("mine", "high")
    assert Message.objects.get(task=task).type == "p2p:task_request"


def test_it_takes_null_for_absent_and_normal_for_no_priority(program: Program) -> None:
    optional = ["external_task_id", "priority", "callback_url", "callback_token"]
    task_id = program.submit(**dict.fromkeys([*optional, "callback_events"]))
    task = Task.objects.get(pk=task_id)
    assert (task.priority, task.external_task_id) == ("normal", None)


def test_it_ignores_fields_it_does_not_know(program: Program) -> None:
    assert program.submit(colour="blue", payload={"b": 2})


@pytest.mark.django_db(transaction=True)
def test_it_rings_the_lane_of_the_task(program: Program, bells: list) -> None:
    program.submit("probe_other_lane")
    assert [queue for _, _, queue, _ in bells] == ["lane.gpu"]


def test_it_keeps_numbers_as_large_as_it_promises(program: Program) -> None:
    giant = 10**299
    assert program.task(program.submit(payload={"n": giant}))["status"] == "received"
    assert Task.objects.get().payload == {"n": giant}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task_type", 7),
        ("task_type", ""),
        ("task_type", "x" * 101),
        ("payload", []),
        ("payload", None),
        ("payload", "{}"),
        ("external_task_id", 7),
        ("external_task_id", "x" * 256),
        ("priority", "now"),
        ("priority", 1),
        ("callback_url", 7),
        ("callback_url", "no url"),
        ("callback_events", "progress"),
        ("callback_events", ["all"]),
    ],
)
def test_it_names_the_field_that_is_wrong(
    program: Program, field: str, value: object
) -> None:
    body = {"task_type": "probe_echo", "payload": {}} | {field: value}
    fields = invalid_fields(program.post("/task", body))
    assert [name.partition("[")[0] for name in fields] == [field]


@pytest.mark.parametrize("field", ["task_type", "payload"])
def test_it_names_the_field_that_is_missing(program: Program, field: str) -> None:
    body = {"task_type": "probe_echo", "payload": {}}
    del body[field]
    assert list(invalid_fields(program.post("/task", body))) == [field]


def test_it_refuses_an_unknown_task_type_and_lists_the_known(program: Program) -> None:
    response = program.post("/task", {"task_type": "nope", "payload": {}})
    error = error_of(response, 422)
    assert error["code"] == 4001
    assert "probe_echo" in error["details"]["supported"]


def test_it_checks_the_payload_against_the_schema_of_its_type(program: Program) -> None:
    body = {"task_type": "probe_sleep", "payload": {"seconds": "long"}}
    error = error_of(program.post("/task", body), 422)
    assert error["code"] == 4002
    assert list(error["details"]["fields"]) == ["seconds"]


@pytest.mark.parametrize("body", ["null", "[]", '"x"', "7", "true"])
def test_it_refuses_json_that_is_no_object(program: Program, body: str) -> None:
    assert invalid_fields(program.send("POST", "/task", body)) == {
        "body": "must be a JSON object"
    }


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
        "application/jsonp",
    ],
)
def test_it_takes_json_only(program: Program, content_type: str) -> None:
    body = json.dumps({"task_type": "probe_echo", "payload": {}})
    error = error_of(program.send("POST", "/task", body, content_type), 415)
    assert error["details"]["supported"] == ["application/json"]


def test_it_unpacks_nothing(program: Program) -> None:
    response = program.post("/task", {}, Content_Encoding="gzip")
    assert error_of(response, 415)["code"] == 1015


def test_it_stores_nothing_when_it_refuses(program: Program) -> None:
    program.post("/task", {"task_type": "nope", "payload": {}})
    program.post("/task", {"task_type": "probe_echo", "payload": {}, "priority": "x"})
    assert not Task.objects.exists()
