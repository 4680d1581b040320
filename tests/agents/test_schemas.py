"""JSON Schemas of strangers: what they mean, what they may cost, what is told."""

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import TaskNeedInfo
from agents_app.schemas import (
    budget_to_hold,
    check_question,
    check_schemas,
    errors_in,
)

TOO_LARGE = {"": "is too large, or its schema too intricate, to be checked"}

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0])
VALUES = st.recursive(
    SCALARS | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner),
    max_leaves=8,
)
COUNTS = st.integers(0, 3)
TYPES = st.sampled_from(
    ["null", "boolean", "integer", "number", "string", "array", "object"]
)


def _schemas(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    some = st.lists(inner, min_size=1, max_size=2)
    named = st.dictionaries(NAMES, inner, max_size=2)
    keywords = {
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), some),
        **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), named),
        **dict.fromkeys(
            ("additionalProperties", "contains", "if", "items", "not", "then", "else"),
            inner,
        ),
        **dict.fromkeys(("propertyNames", "unevaluatedProperties"), inner),
        "unevaluatedItems": inner,
        **dict.fromkeys(("maxItems", "minItems", "maxProperties", "minLength"), COUNTS),
        **dict.fromkeys(("minContains", "maxContains"), COUNTS),
        **dict.fromkeys(("minimum", "exclusiveMaximum"), st.integers(-3, 3)),
        "const": VALUES,
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "multipleOf": st.sampled_from([1, 2, 0.5]),
        "pattern": st.sampled_from(["a", "^b", "[ac]$"]),
        "required": st.lists(NAMES, unique=True),
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, unique=True)),
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
        "uniqueItems": st.booleans(),
    }
    pairs = [st.tuples(st.just(word), what) for word, what in keywords.items()]
    return st.lists(st.one_of(pairs), max_size=4).map(dict)


SCHEMAS = st.recursive(st.booleans(), _schemas, max_leaves=6).map(
    lambda schema: {"allOf": [schema]} if isinstance(schema, bool) else schema
)


def _problem(schema: object) -> str:
    with pytest.raises(SynapseError) as refused:
        check_schemas([("it", schema)])
    assert refused.value.code is Code.SCHEMA_INVALID
    assert refused.value.details["schema"] == "it"
    return str(refused.value.details["problem"])


@settings(max_examples=400, deadline=None)
@given(schema=SCHEMAS, value=VALUES)
def test_it_agrees_with_the_reference(schema, value):
    check_schemas([("it", schema)])
    agreed = Draft202012Validator(schema).is_valid(value)
    assert (not errors_in(schema, value)) == agreed


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        (
            {"properties": {"a": {"items": {"type": "integer"}}}},
            {"a": [1, "x"]},
            {"a.1": "must be of type integer"},
        ),
        ({"required": ["a", "b"]}, {"b": 1}, {"": "must have: a"}),
        (
            {"properties": {"a": {}}, "additionalProperties": False},
            {"x": 1},
            {"x": "is not expected here"},
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "x",
            {"": "must be of type integer; or must be of type null"},
        ),
        (
            {"enum": list(range(20))},
            30,
            {"": "must be one of: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 more"},
        ),
    ],
)
def test_it_tells_where_and_what(schema, value, told):
    assert errors_in(schema, value) == told


def test_it_tells_of_twenty_places():
    assert len(errors_in({"items": {"type": "null"}}, [1] * 10_000)) == 20


def test_it_cuts_what_strangers_called_their_keys():
    (path,) = errors_in({"additionalProperties": False}, {"k\n" * 500_000: 1})
    assert len(path) == 200
    assert "\n" not in path


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "^(a+)+$"}, "a" * 50_000 + "!"),
        ({"pattern": "(x+x+)+y"}, "x" * 50_000),
        (
            {"patternProperties": {"^(a+)+$": {}}, "minProperties": 2},
            {"a" * 999 + "!": 1},
        ),
        ({"minItems": 99_999, "uniqueItems": True}, [[n] for n in range(30_000)]),
        (
            {"minItems": 99_999, "uniqueItems": True},
            [n * (2**61 - 1) for n in range(30_000)],
        ),
        ({"items": {"enum": [[0] * 500 + [n] for n in range(20)]}}, [[0] * 500] * 100),
        (
            {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
            {"a" * 999 + "!": 1},
        ),
        ({"maxItems": 1, "contains": {}, "unevaluatedItems": False}, [1] * 50_000),
        (
            {
                "maxProperties": 1,
                "patternProperties": {"^(a+)+$": {}},
                "unevaluatedProperties": {},
            },
            {"a" * 999 + "!": 1, "b": 2},
        ),
        ({"anyOf": [{"maxLength": 1}] * 3_000}, "x" * 1_000_000),
    ],
    ids=[
        *("stars", "pluses", "names", "unique", "one hash", "enum", "other names"),
        *("unevaluated items", "unevaluated names", "shown values"),
    ],
)
def test_it_decides_what_takes_others_minutes(schema, value):
    assert errors_in(schema, value) not in ({}, TOO_LARGE)


def _doubling(levels: int) -> dict[str, object]:
    """Each part says twice what the next one says."""
    parts = {
        str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2} for n in range(levels)
    }
    return {"$ref": "#/$defs/0", "$defs": parts | {str(levels): {"type": "null"}}}


def _nested(levels: int) -> object:
    return [_nested(levels - 1)] if levels else 1


def _deep(levels: int) -> dict[str, object]:
    """More of the stack than there is, for each list inside a list."""
    schema: dict[str, object] = {"items": {"$ref": "#"}}
    for _ in range(levels):
        schema = {"allOf": [schema]}
    return schema


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (_doubling(40), None),
        (
            {
                "$defs": {"t": {"allOf": [{"items": {"$ref": "#/$defs/t"}}] * 2}},
                "$ref": "#/$defs/t",
            },
            _nested(60),
        ),
        ({"items": {"type": "number"}}, [0.5] * 250_000),
        ({"pattern": r"(\w{0,640})*;$"}, "a" * 100_000),
        ({"items": {str(n): 1 for n in range(5_000)}}, [1] * 50_000),
        (
            {"$defs": {"a" * 9_999: {}}, "items": {"$ref": "#/$defs/" + "%61" * 9_999}},
            [1] * 50_000,
        ),
        ({"items": {"not": {"anyOf": [False] * 5_000}}}, [1] * 50_000),
        ({"items": {"allOf": [True] * 5_000}}, [1] * 50_000),
        (_deep(30), _nested(60)),
    ],
    ids=[
        *("references", "recursion", "values", "large pattern", "no keywords"),
        *("long reference", "false", "true", "deep"),
    ],
)
def test_it_gives_up_on_what_costs_too_much(schema, value):
    assert errors_in(schema, value) == TOO_LARGE


def test_it_asks_for_no_more_than_the_first_reason_of_an_alternative():
    schema = {"anyOf": [{"items": {"type": "null"}}]}
    assert errors_in(schema, [1] * 20_000) == {"": "0 must be of type null"}


def test_it_takes_no_other_draft_for_it():
    dialect = "http://json-schema.org/draft-07/schema#"
    schema = {"$schema": dialect, "pattern": "^(a+)+$", "items": {"$ref": "#"}}
    assert errors_in(schema, ["a" * 50_000 + "!"]) == {"0": "must match ^(a+)+$"}


def test_it_takes_fractions_as_they_are_written():
    assert errors_in({"multipleOf": 0.1}, 0.3) == {}
    assert errors_in({"multipleOf": 0.7}, 10**308) == {"": "must be a multiple of 0.7"}


def test_it_has_one_budget_for_many_values():
    budget = budget_to_hold()
    assert errors_in(_doubling(40), None, budget) == TOO_LARGE
    assert errors_in({"type": "null"}, None, budget) == TOO_LARGE


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ([], "A schema is an object."),
        ({"items": 5}, "$.items: must be a schema"),
        ({"anyOf": [{}, {"type": "x"}]}, "$.anyOf[1].type: must be one of: array,"),
        ({"pattern": "(?=a)"}, "$.pattern: (?=a) is no pattern that can be used"),
        ({"pattern": ".{999}" * 3}, "$.pattern: "),
        ({"$ref": "other.json"}, "$.$ref: other.json must lead to a place in this"),
        ({"$ref": "#/x/0"}, "$.$ref: #/x/0 leads nowhere"),
        ({"not": {"$ref": "#"}}, "$"),
        ({"$dynamicRef": "#"}, "$.$dynamicRef: cannot be used here"),
        ({"items": {"$id": "a"}}, "$.items.$id: cannot be used here"),
        ({"$ref": "#/a", "a": {"$schema": "b"}}, "$.a.$schema: cannot be used here"),
        ({"$ref": "#/title", "title": "a"}, "$.$ref: #/title leads to no schema"),
        ({"$ref": "#/title/a", "title": "a"}, "$.$ref: #/title/a leads nowhere"),
        ({"title": "x" * 70_000}, "A schema has at most 65536 bytes."),
        ({"a": "\0"}, "NUL characters cannot be stored."),
    ],
)
def test_it_says_what_is_wrong_with_a_schema(schema, problem):
    assert _problem(schema).startswith(problem)


def test_it_has_one_budget_for_a_card_of_schemas():
    patterns = {"patternProperties": {f"{n}.{{1,500}}": {} for n in range(10)}}
    check_schemas([("one", patterns)])
    with pytest.raises(SynapseError) as refused:
        check_schemas((str(n), patterns) for n in range(500))
    assert refused.value.details["problem"] == "It takes too long to check."


def test_it_checks_both_of_two_fields_of_one_name():
    fields = [{"name": "a", "schema": {"type": 5}}, {"name": "a"}]
    words = {"task_id": "t", "missing_fields": fields, "reason": "r"}
    with pytest.raises(SynapseError) as refused:
        check_question(TaskNeedInfo.parse(words))
    assert refused.value.code is Code.SCHEMA_INVALID


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [
        ("date", "2026-02-28", "2026-02-30"),
        ("date-time", "2026-02-28T09:00:00Z", "2026-02-28"),
        ("email", "a@example.com", "@"),
        ("uuid", "01a22f69-17a4-73ef-bee9-0d74ce8190c0", "01a22f6917a473ef"),
        ("ipv4", "192.0.2.1", "192.0.2.256"),
        ("ipv6", "2001:db8::1", "fe80::1%eth0"),
        ("regex", "^a+$", "("),
    ],
)
def test_it_asserts_formats(form, right, wrong):
    assert errors_in({"format": form}, right) == {}
    assert errors_in({"format": form}, wrong) == {"": f"must have the format {form}"}
