"""Every Python block of docs/agents.md runs, and its tests pass."""

import re
import sys
from pathlib import Path

import pytest

import agents_app.agents  # noqa: F401 - Declares the built-in handlers.
from agents_app import registry
from agents_app.testing import approve, modify, reject, run_handler, task_file

TEXT = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """What the blocks define; the first is `shipping/agents.py`, as the page says."""
    names = {"__name__": "shown"}
    first, *others = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(others) >= 5
    (tmp_path / "shipping").mkdir()
    (tmp_path / "shipping" / "__init__.py").touch()
    (tmp_path / "shipping" / "agents.py").write_text(first, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with registry.isolated_registry():
        for block in others:
            exec(block, names)  # noqa: S102 - Our own documentation.
        yield names
    for module in ("shipping", "shipping.agents"):
        sys.modules.pop(module)


def test_its_own_tests_pass(shown):
    tests = [name for name in shown if name.startswith("test_")]
    assert len(tests) == 2
    for name in tests:
        shown[name]()


@pytest.mark.usefixtures("shown")
def test_its_questions_work():
    answer = {"due": "2030-01-01", "cost_centre": "7"}
    played = run_handler("order_booking", {"number": "1"}, answers=[answer])
    assert played.result == answer
    for said, percent in [(reject(), 0), (approve(), 30), (modify({"percent": 5}), 5)]:
        played = run_handler("discount", {"name": "Inky"}, answers=[said])
        assert played.result["percent"] == percent


@pytest.mark.usefixtures("shown")
def test_its_files_work(tmp_path):
    (tmp_path / "a.txt").write_text("abc")
    played = run_handler("file_sizes", {}, files=[task_file(tmp_path / "a.txt")])
    assert played.result == {"sizes": {"a.txt": 3}}


@pytest.mark.usefixtures("shown")
def test_its_error_works():
    played = run_handler("parcel_pickup", {"count": 2})
    assert played.error.message == "The carrier is closed."
    assert played.outcome.retryable


def test_its_words_work(shown):
    assert shown["Shipment"](carrier="PX").in_words() == "Handed over to PX."


@pytest.mark.parametrize(
    "task_type", ["approval", "document_text", "invoice_approval", "text_generation"]
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
    assert len(probes) == 13
    assert [name for name in probes if f"`{name}`" not in TEXT] == []
