"""Every Python block of docs/agents.md runs, and its tests pass."""

import re
from pathlib import Path

import pytest

import agents_app.agents  # noqa: F401 - Declares the built-in handlers.
from agents_app import registry
from agents_app.testing import approve, modify, reject
from tests.agents.play import play

TEXT = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


@pytest.fixture
def shown():
    """What the blocks define, declared in a registry of their own."""
    names = {"__name__": "shown"}
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) >= 5
    with registry.isolated_registry():
        for block in blocks:
            exec(block, names)  # noqa: S102 - Our own documentation.
        yield names


def test_its_own_tests_pass(shown):
    tests = [name for name in shown if name.startswith("test_")]
    assert len(tests) == 2
    for name in tests:
        shown[name]()


def test_its_questions_work(shown):
    answer = {"due": "2030-01-01", "cost_centre": "7"}
    assert play(shown["due_date"], answers=[answer]).result == answer
    assert play(shown["discount"], answers=[reject()]).result == {"percent": 0}
    assert play(shown["discount"], answers=[approve()]).result["percent"] == 30
    changed = play(shown["discount"], answers=[modify({"percent": 5})]).result
    assert changed == {"percent": 5, "by": "tester"}


def test_its_error_works(shown):
    played = play(shown["fetch"])
    assert played.error.message == "The carrier is closed."
    assert played.outcome.retryable


@pytest.mark.parametrize(
    "task_type", ["document_text", "invoice_approval", "text_generation"]
)
def test_it_names_every_field_of_the_built_in_types(task_type, monkeypatch):
    monkeypatch.setenv("SYNAPSE_LLM_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("SYNAPSE_LLM_MODEL", "parrot")
    spec = registry.get(task_type)
    section = TEXT.split(f"### `{task_type}`")[1].split("\n### ")[0]
    fields = [*spec.input.model_fields, *spec.output.model_fields]
    assert [name for name in fields if f"`{name}`" not in section] == []


def test_it_names_every_probe(monkeypatch):
    monkeypatch.setenv("SYNAPSE_PROBES", "1")
    probes = [
        spec.task_type
        for spec in registry.enabled_specs()
        if spec.task_type.startswith("probe_")
    ]
    assert len(probes) == 12
    assert [name for name in probes if f"`{name}`" not in TEXT] == []
