"""Declaring handlers: what is refused at import, what the registry answers."""

import subprocess
import sys

import pytest
from pydantic import BaseModel

from agents_app import registry
from agents_app.protocol.errors import Code, SynapseError
from agents_app.registry import handles
from tests.agents.play import Anything, spec_of


class Greeting(BaseModel):
    name: str
    times: int = 1


def greet(ctx):
    """Say hello.

    More than once if asked.
    """
    return {}


@pytest.fixture(autouse=True)
def _own_registry():
    with registry.isolated_registry():
        yield


def test_it_finds_a_declared_handler_and_leaves_the_function_as_it_was():
    declared = handles("greet", input=Greeting, output=Anything)(greet)
    assert declared is greet
    assert registry.get("greet").function is greet


def test_it_takes_name_and_description_from_the_code():
    spec = spec_of(greet)
    assert spec.name == "Test type"
    assert spec.description == "Say hello.\n\nMore than once if asked."


def test_it_derives_a_draft_2020_12_schema():
    schema = spec_of(greet, input=Greeting).input_schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["required"] == ["name"]


def test_it_refuses_a_second_handler_for_the_same_type():
    handles("greet", input=Greeting, output=Anything)(greet)
    with pytest.raises(ValueError, match="declared twice"):
        handles("greet", input=Greeting, output=Anything)(greet)


@pytest.mark.parametrize("task_type", ["", "Greet", "1st", "a b", "x" * 65, "greet\n"])
def test_it_refuses_a_bad_task_type(task_type):
    with pytest.raises(ValueError, match="task type"):
        handles(task_type, input=Greeting, output=Anything)(greet)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_concurrent": 0},
        {"max_duration_s": -1},
        {"answer_within_s": 0},
        {"estimated_time": "soon"},
        {"lane": "GPU 1"},
    ],
)
def test_it_refuses_limits_that_cannot_work(limits):
    with pytest.raises(ValueError, match=r".+"):
        spec_of(greet, **limits)


@pytest.mark.parametrize("model", [dict, Greeting(name="x"), None])
def test_it_refuses_an_input_that_is_no_model(model):
    with pytest.raises(TypeError, match="not a pydantic model"):
        spec_of(greet, input=model)


async def coroutine(ctx):
    return {}


def generator(ctx):
    yield {}


@pytest.mark.parametrize("function", [coroutine, generator, lambda: {}])
def test_it_refuses_a_function_it_could_not_call(function):
    with pytest.raises(TypeError, match="a handler"):
        spec_of(function)


def test_it_hides_a_handler_while_it_is_switched_off():
    switch = {"on": False}
    handles("greet", input=Greeting, output=Anything, enabled=lambda: switch["on"])(
        greet
    )
    assert registry.get("greet") is None
    assert registry.enabled_specs() == ()
    switch["on"] = True
    assert [spec.task_type for spec in registry.enabled_specs()] == ["greet"]


def test_it_lists_each_lane_of_the_enabled_handlers_once():
    handles("a", input=Greeting, output=Anything, lane="gpu")(greet)
    handles("b", input=Greeting, output=Anything, lane="gpu")(greet)
    handles("c", input=Greeting, output=Anything)(greet)
    handles("d", input=Greeting, output=Anything, lane="x", enabled=lambda: False)(
        greet
    )
    assert registry.lanes() == ("default", "gpu")


def test_it_brings_the_old_registry_back_after_isolation():
    handles("greet", input=Greeting, output=Anything)(greet)
    with registry.isolated_registry():
        assert registry.get("greet") is None
        handles("other", input=Greeting, output=Anything)(greet)
    assert [spec.task_type for spec in registry.enabled_specs()] == ["greet"]


def test_it_freezes_what_was_declared():
    with pytest.raises(AttributeError):
        spec_of(greet).lane = "gpu"


def test_handlers_load_without_django():
    """In a process of its own: here Django may be loaded already."""
    code = (
        "import sys; sys.modules['django'] = None; sys.modules['celery'] = None;"
        "import agents_app.agents, agents_app.dispatch, agents_app.testing"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("limits", "count", "text"),
    [
        ({}, 1, "takes no files, not 1."),
        ({"accepts_files": True, "min_files": 1}, 0, "takes at least 1 file, not 0."),
        (
            {"accepts_files": True, "min_files": 2, "max_files": 2},
            3,
            "takes exactly 2 files, not 3.",
        ),
        (
            {"accepts_files": True, "max_files": 3},
            4,
            "takes 0 to 3 files, not 4.",
        ),
    ],
)
def test_it_refuses_another_number_of_files(limits, count, text):
    with pytest.raises(SynapseError, match=text) as refused:
        spec_of(greet, **limits).check_files(count)
    assert refused.value.code is Code.PAYLOAD_INVALID
    assert "file" in refused.value.details["fields"]


def test_it_takes_the_numbers_of_files_in_between():
    spec = spec_of(greet, accepts_files=True, min_files=1, max_files=2)
    spec.check_files(1)
    spec.check_files(2)
    spec_of(greet, accepts_files=True).check_files(1000)


@pytest.mark.parametrize(
    "limits",
    [
        {"min_files": 1},
        {"accepts_files": True, "min_files": 2, "max_files": 1},
        {"accepts_files": True, "min_files": -1},
    ],
)
def test_it_refuses_numbers_of_files_that_nothing_fits(limits):
    with pytest.raises(ValueError, match="no number of files"):
        spec_of(greet, **limits)


def test_it_refuses_an_unknown_owner_of_decisions():
    with pytest.raises(ValueError, match="nobody"):
        handles("greet", input=Greeting, output=Anything, hil_owner="nobody")(greet)
