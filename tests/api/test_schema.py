"""The OpenAPI document is whole, and the answers are as it says."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.http import HttpResponse
from jsonschema import Draft202012Validator, FormatChecker

from tasks_app.api import responses
from tasks_app.callbacks import OPTIONAL_EVENTS
from tasks_app.models import Delivery
from tests.api.conftest import Program

Check = Callable[[HttpResponse, str], None]


@pytest.fixture(scope="module")
def document(django_db_setup: None) -> dict[str, Any]:
    return json.loads(Program().get("/schema").content)


@pytest.fixture
def fits(document: dict[str, Any]) -> Check:
    """Holds an answer against a schema, which must know every key of it."""

    def check(response: HttpResponse, name: str) -> None:
        body = response.json()
        reference = {"$ref": f"#/components/schemas/{name}"}
        whole = reference | {"components": document["components"]}
        validator = Draft202012Validator(whole, format_checker=FormatChecker())
        assert [error.message for error in validator.iter_errors(body)] == []
        known = document["components"]["schemas"][name]["properties"]
        assert sorted(body) == sorted(known)

    return check


def test_it_is_generated_without_warnings(tmp_path) -> None:
    target = str(tmp_path / "schema.yml")
    call_command("spectacular", fail_on_warn=True, validate=True, file=target)


def test_it_names_every_address(document: dict[str, Any]) -> None:
    prefix = "/api/v1/synapse"
    found = {
        (path.removeprefix(prefix), method)
        for path, methods in document["paths"].items()
        for method in methods
    }
    assert found == {
        ("/task", "post"),
        ("/task/multipart", "post"),
        ("/task/{task_id}", "get"),
        ("/task/{task_id}/status", "get"),
        ("/task/{task_id}/cancel", "post"),
        ("/task/{task_id}/info", "post"),
        ("/task/{task_id}/files/{file_id}", "get"),
        ("/tasks", "get"),
        ("/capabilities", "get"),
    }


def test_it_asks_for_the_key_everywhere(document: dict[str, Any]) -> None:
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["security"] == [{"ApiKey": []}]
            assert "default" in operation["responses"]


def test_it_describes_the_filters(document: dict[str, Any]) -> None:
    operation = document["paths"]["/api/v1/synapse/tasks"]["get"]
    assert {parameter["name"] for parameter in operation["parameters"]} == {
        "status",
        "task_type",
        "priority",
        "external_task_id",
        "created_after",
        "created_before",
        "limit",
        "offset",
        "cursor",
    }


def test_it_offers_the_events_there_are(document: dict[str, Any]) -> None:
    fields = document["components"]["schemas"]["SubmitRequest"]["properties"]
    events, _ = fields["callback_events"]["anyOf"]
    assert events["items"]["enum"] == list(OPTIONAL_EVENTS)


def test_it_fits_a_submit(program: Program, fits: Check) -> None:
    body = {"task_type": "probe_echo", "payload": {}}
    fits(program.post("/task", body), "SubmitAnswer")


def test_it_fits_a_task_in_every_state(
    program: Program, drain: Callable[[], None], fits: Check
) -> None:
    upload = SimpleUploadedFile("a.txt", b"x", "text/plain")
    parts = {"task_type": "probe_echo", "payload": "{}", "file": upload}
    ids = [program.form(parts).json()["task_id"]]
    for task_type in ("probe_fail", "probe_need_info", "probe_need_human"):
        ids.append(program.submit(task_type))
    drain()
    for task_id in [*ids, program.submit()]:
        fits(program.get(f"/task/{task_id}"), "TaskAnswer")
        fits(program.get(f"/task/{task_id}/status"), "StatusAnswer")
    fits(program.get("/tasks"), "TaskListAnswer")


def test_it_knows_every_key_of_a_task(program: Program, asking: str) -> None:
    task = program.task(asking)
    assert sorted(task) == sorted(responses.Task.model_fields)
    pending = task["pending_action"]
    assert sorted(pending) == sorted(responses.PendingAction.model_fields)
    (listed,) = program.get("/tasks").json()["tasks"]
    assert sorted(listed) == sorted(responses.ListedTask.model_fields)


def test_it_fits_answers_and_cancels(
    program: Program, asking: str, fits: Check
) -> None:
    info = {"provided_info": {"colour": "blue"}}
    fits(program.post(f"/task/{asking}/info", info), "ChangedAnswer")
    fits(program.post(f"/task/{asking}/cancel"), "ChangedAnswer")


def test_it_fits_errors_and_capabilities(program: Program, fits: Check) -> None:
    fits(program.get("/nothing"), "ErrorAnswer")
    fits(program.get("/capabilities"), "CapabilitiesAnswer")


def test_it_fits_what_is_called_back(
    program: Program, drain: Callable[[], None], document: dict[str, Any]
) -> None:
    program.submit("probe_need_info", callback_url="http://127.0.0.1:8999/")
    drain()
    known = document["components"]["schemas"]["CallbackBody"]
    validator = Draft202012Validator({"components": document["components"]} | known)
    for delivery in Delivery.objects.all():
        body = json.loads(delivery.body)
        validator.validate(body)
        assert sorted(body) == sorted(known["properties"])
    assert Delivery.objects.filter(event="info_needed").exists()


def test_it_shows_the_docs_to_everybody_from_here_alone(nobody: Program) -> None:
    page = nobody.get("/docs", Accept="text/html")
    script = nobody.get("/docs?script=")
    assert (page.status_code, script.status_code) == (200, 200)
    assert script["Content-Type"] == "application/javascript"
    assert b"/api/v1/synapse/schema" in script.content
    for content in (page.content, script.content):
        assert b"http://" not in content
        assert b"https://" not in content
    assert "script-src 'self';" in page["Content-Security-Policy"]


def test_it_finds_the_scripts_of_the_docs(client, nobody: Program) -> None:
    page = nobody.get("/docs").content.decode()
    start = page.index("/static/")
    path = page[start : page.index('"', start)]
    response = client.get(path)
    assert response.status_code == 200
    response.close()


def test_it_says_what_a_parameter_must_be(
    program: Program, document: dict[str, Any]
) -> None:
    parameters = document["paths"]["/api/v1/synapse/tasks"]["get"]["parameters"]
    schemas = {one["name"]: one["schema"] for one in parameters}
    for name in ("cursor", "task_type", "external_task_id"):
        assert not Draft202012Validator(schemas[name]).is_valid("")
        assert program.get(f"/tasks?{name}=").status_code == 400
    for _ in range(2):
        program.submit()
    cursor = program.get("/tasks?limit=1").json()["next_cursor"]
    assert Draft202012Validator(schemas["cursor"]).is_valid(cursor)
