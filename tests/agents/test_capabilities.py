"""The capability list, field by field as in P2A 7.5 and 7.6."""

import json

import pytest
from pydantic import BaseModel

from agents_app import capabilities, registry
from tests.agents.play import Anything


class Greeting(BaseModel):
    name: str


def document():
    return capabilities.document(
        agent_id="synapse",
        agent_name="Synapse",
        max_file_size=20,
        max_concurrent_tasks=4,
        max_task_duration=600,
        content_types=["application/json"],
    )


@pytest.fixture(autouse=True)
def _own_registry():
    with registry.isolated_registry():
        declare = registry.handles("greet", input=Greeting, output=Anything)
        declare(lambda ctx: {})
        off = registry.handles(
            "hidden", input=Greeting, output=Anything, enabled=lambda: False
        )
        off(lambda ctx: {})
        yield


def test_it_has_the_fields_of_the_seed_and_claims_only_what_exists():
    assert {k: v for k, v in document().items() if k != "supported_task_types"} == {
        "agent_id": "synapse",
        "agent_name": "Synapse",
        "protocol_version": "1.0.0",
        "supported_content_types": ["application/json"],
        "max_file_size": 20,
        "max_concurrent_tasks": 4,
        "max_task_duration": 600,
        "support_progress_updates": True,
        "support_streaming": False,
        "support_hil": True,
        "support_groups": False,
    }


def test_it_lists_enabled_types_only():
    assert [entry["type"] for entry in document()["supported_task_types"]] == ["greet"]


def test_it_gives_each_schema_as_a_string_and_as_an_object():
    (entry,) = document()["supported_task_types"]
    assert isinstance(entry["input_schema"], str)
    assert json.loads(entry["input_schema"]) == entry["input_schema_object"]
    assert json.loads(entry["output_schema"]) == entry["output_schema_object"]
    assert entry["input_schema_object"]["properties"]["name"]["type"] == "string"


def test_it_is_json():
    assert json.loads(json.dumps(document())) == document()
