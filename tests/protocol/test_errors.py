"""The error catalogue: complete, consistent, stable in shape."""

import pickle
import re
from pathlib import Path

import pytest

from agents_app.protocol.errors import CATALOGUE, Code, SynapseError, category_of

ROOT = Path(__file__).parents[2]
SEED_RANGES = {
    1: "system",
    2: "task",
    3: "info",
    4: "capability",
    5: "security",
    6: "communication",
}


def test_it_has_an_entry_for_every_code():
    assert list(CATALOGUE) == list(Code)
    assert all(spec.code is code for code, spec in CATALOGUE.items())


def test_it_fills_every_range_of_the_seed_and_no_other():
    assert {code // 1000 for code in Code} == set(SEED_RANGES)


@pytest.mark.parametrize("code", Code)
def test_it_takes_the_category_from_the_thousand(code):
    assert CATALOGUE[code].category == SEED_RANGES[code // 1000]


def test_it_never_uses_a_number_twice():
    numbers = [int(code) for code in Code.__members__.values()]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("spec", CATALOGUE.values(), ids=lambda spec: spec.code.name)
def test_it_speaks_both_languages_and_http(spec):
    assert spec.text.isascii()
    assert spec.text.endswith(".")
    assert not spec.text_zh.isascii()
    assert 400 <= spec.http_status <= 504


def test_it_cannot_be_changed_at_run_time():
    with pytest.raises(TypeError):
        CATALOGUE[Code.INTERNAL] = CATALOGUE[Code.FORBIDDEN]


def test_it_shows_all_five_fields_when_there_is_nothing_to_add():
    assert SynapseError(Code.TASK_NOT_FOUND).to_object() == {
        "code": 2001,
        "category": "task",
        "message": "There is no such task.",
        "details": {},
        "retry_after": None,
    }


def test_it_carries_message_details_and_wait():
    error = SynapseError(
        Code.RATE_LIMITED, "Slower.", details={"limit": 10}, retry_after=7
    )
    shown = error.to_object()
    assert (shown["message"], shown["details"]) == ("Slower.", {"limit": 10})
    assert shown["retry_after"] == 7
    assert str(error) == "1003 Slower."


def test_it_survives_the_way_between_processes():
    error = SynapseError(Code.TASK_ENDED, "Over.", details={"a": 1}, retry_after=3)
    assert pickle.loads(pickle.dumps(error)).to_object() == error.to_object()  # noqa: S301


@pytest.mark.parametrize(
    ("code", "category"), [(2999, "task"), (6001, "communication"), (9001, "system")]
)
def test_it_knows_the_category_of_foreign_codes(code, category):
    assert category_of(code) == category


def test_it_has_no_code_that_nobody_raises():
    tables = {"codes.py", "catalogue.py", "texts_zh.py"}
    sources = [
        path.read_text()
        for package in ("agents_app", "tasks_app", "synapse_site")
        for path in (ROOT / package).rglob("*.py")
        if path.name not in tables
    ]
    named = set(re.findall(r"\bCode\.([A-Z_]+)\b", "\n".join(sources)))
    assert {code.name for code in Code} - named == set()
