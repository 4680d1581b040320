"""GET /capabilities: what is advertised holds (P2A 7.5, 7.6)."""

import json

from pytest_django.fixtures import Settings

from tests.api.conftest import Program

SEED = {
    "agent_id",
    "agent_name",
    "protocol_version",
    "supported_task_types",
    "supported_content_types",
    "max_file_size",
    "max_concurrent_tasks",
    "max_task_duration",
    "support_progress_updates",
    "support_streaming",
    "support_hil",
    "support_groups",
}


def test_it_answers_every_field_of_the_seed(program: Program) -> None:
    body = program.get("/capabilities").json()
    assert body["success"] is True
    assert set(body) >= SEED


def test_it_names_the_limits_that_hold(program: Program, settings: Settings) -> None:
    settings.SYNAPSE_MAX_FILE_SIZE = 111
    settings.SYNAPSE_MAX_FILES = 7
    settings.SYNAPSE_MAX_UPLOAD_SIZE = 222
    body = program.get("/capabilities").json()
    limits = (body["max_file_size"], body["max_files"], body["max_upload_size"])
    assert limits == (111, 7, 222)
    assert body["max_body_size"] == settings.SYNAPSE_MAX_BODY_SIZE


def test_it_describes_each_task_type(program: Program) -> None:
    types = program.get("/capabilities").json()["supported_task_types"]
    sleep = next(entry for entry in types if entry["type"] == "probe_sleep")
    assert json.loads(sleep["input_schema"]) == sleep["input_schema_object"]
    assert "seconds" in sleep["input_schema_object"]["properties"]
    assert sleep["estimated_time"] == "1s-10s"


def test_it_says_how_many_files_a_type_takes(program: Program) -> None:
    types = program.get("/capabilities").json()["supported_task_types"]
    files = {one["type"]: (one["min_files"], one["max_files"]) for one in types}
    assert files["approval"] == (0, 0)
    assert files["document_text"] == (1, None)
    assert files["invoice_approval"] == (1, 1)


def test_it_lists_what_a_submit_accepts(program: Program) -> None:
    types = program.get("/capabilities").json()["supported_task_types"]
    names = [entry["type"] for entry in types]
    unknown = program.post("/task", {"task_type": "nope", "payload": {}}).json()
    assert unknown["error"]["details"]["supported"] == names
