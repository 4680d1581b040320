"""Forms for values that somebody else designed: types are kept, nothing is guessed."""

import pytest
from django.core.exceptions import ValidationError

from tasks_app.admin.answers import ABSENT, ValueField, ValueForm, shape_of, shapes_of
from tasks_app.admin.answers.shapes import Kind


def field(schema: dict, initial: object = ABSENT, *, required: bool = False):
    return ValueField(shape_of("x", schema, initial=initial, required=required))


@pytest.mark.parametrize(
    ("schema", "initial", "kind"),
    [
        ({}, "a", Kind.TEXT),
        ({}, "a\nb", Kind.LONG_TEXT),
        ({}, "a" * 81, Kind.LONG_TEXT),
        ({}, 1, Kind.NUMBER),
        ({}, 1.5, Kind.NUMBER),
        ({}, True, Kind.BOOLEAN),
        ({}, [1], Kind.JSON),
        ({}, {"a": 1}, Kind.JSON),
        ({}, None, Kind.JSON),
        ({}, ABSENT, Kind.TEXT),
        ({"type": "integer"}, 1, Kind.INTEGER),
        ({"type": "integer"}, "one", Kind.JSON),
        ({"type": "number"}, True, Kind.JSON),
        ({"type": ["number", "null"]}, None, Kind.NUMBER),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, None, Kind.BOOLEAN),
        ({"anyOf": [{"type": "boolean"}, {"type": "string"}]}, "a", Kind.TEXT),
        ({"type": "string", "format": "date"}, "2024-05-31", Kind.DATE),
        ({"type": "string", "format": "date"}, "31.5.24", Kind.TEXT),
        ({"enum": ["a", 1]}, "a", Kind.CHOICE),
        ({"type": "array"}, ABSENT, Kind.JSON),
    ],
)
def test_it_picks_the_control_that_fits(schema, initial, kind) -> None:
    assert shape_of("x", schema, initial=initial, required=False).kind is kind


@pytest.mark.parametrize(
    ("schema", "initial"),
    [
        ({}, ""),
        ({}, "two\r\nlines"),
        ({}, 1),
        ({}, 1.0),
        ({}, 10**25),
        ({}, 1e22),
        ({}, None),
        ({}, [1, {"b": None}]),
        ({"type": "number"}, 3),
        ({"type": "string"}, None),
        ({"type": "boolean"}, None),
        ({"enum": ["a", None]}, None),
        ({"enum": ["a"]}, "not offered"),
        ({}, ABSENT),
    ],
)
def test_it_gives_back_what_nobody_touched(schema, initial) -> None:
    control = field(schema, initial)
    kept = control.clean(control.initial)
    assert (kept, type(kept)) == (initial, type(initial))


@pytest.mark.parametrize(
    ("schema", "initial", "typed", "value"),
    [
        ({}, "a", "b", "b"),
        ({}, "a", "", ""),
        ({}, "a", "12", "12"),
        ({}, 1, "2", 2),
        ({}, 1, " 2.50 ", 2.5),
        ({"type": "integer"}, 1, "-7", -7),
        ({"type": "number"}, ABSENT, "", ABSENT),
        ({"type": "number"}, 5, "", ABSENT),
        ({"type": ["number", "null"]}, 5, "", None),
        ({"type": "string"}, ABSENT, "", ABSENT),
        ({"type": "boolean"}, ABSENT, "true", True),
        ({"type": ["boolean", "null"]}, True, "false", False),
        ({"enum": ["a", 1]}, "a", "1", 1),
        ({}, [1], "[2]", [2]),
        ({}, [1], '"text"', "text"),
    ],
)
def test_it_reads_what_was_typed(schema, initial, typed, value) -> None:
    kept = field(schema, initial).clean(typed)
    assert (kept, type(kept)) == (value, type(value))


@pytest.mark.parametrize(
    ("schema", "typed"),
    [
        ({"type": "number"}, "1,5"),
        ({"type": "number"}, "true"),
        ({"type": "number"}, "Infinity"),
        ({"type": "number"}, "1e999"),
        ({"type": "integer"}, "1.0"),
        ({"type": "object"}, "{'a': 1}"),
        ({"type": "array"}, "[" * 100),
        ({"enum": ["a"]}, "a"),
    ],
)
def test_it_refuses_what_it_cannot_read(schema, typed) -> None:
    with pytest.raises(ValidationError):
        field(schema).clean(typed)


def test_it_insists_on_what_is_required() -> None:
    with pytest.raises(ValidationError):
        field({"type": "number"}, required=True).clean("")


def test_it_makes_a_field_of_each_property_in_order() -> None:
    schema = {
        "properties": {
            "size": {"$ref": "#/$defs/Size"},
            "new": {"type": "integer", "title": "New one", "description": "Why."},
        },
        "$defs": {"Size": {"enum": ["S", "M"]}},
        "required": ["new"],
    }
    shapes = shapes_of(schema, {"colour": "red", "size": "M"})
    assert shapes is not None
    assert [shape.key for shape in shapes] == ["colour", "size", "new"]
    assert shapes[1].choices == ("S", "M")
    assert (shapes[2].label, shapes[2].help, shapes[2].required) == (
        "New one",
        "Why.",
        True,
    )


def test_it_offers_no_property_that_the_schema_forbids() -> None:
    schema = {"properties": {"a": {}}, "additionalProperties": False}
    shapes = shapes_of(schema, {"a": 1, "b": 2})
    assert shapes is not None
    assert [shape.key for shape in shapes] == ["a"]


@pytest.mark.parametrize(
    ("schema", "suggested"),
    [
        ({}, {}),
        (None, {}),
        ({"type": "object"}, None),
        ({}, {f"key{n}": n for n in range(61)}),
        ({"properties": []}, None),
    ],
)
def test_it_falls_back_to_one_json_text(schema, suggested) -> None:
    assert shapes_of(schema, suggested) is None
    form = ValueForm({"value-whole": '{"a": [1]}'}, None, suggested)
    assert form.is_valid()
    assert form.value() == {"a": [1]}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": 1}},
        {"properties": {"a": {"$ref": "#/nowhere"}}},
        {"properties": {"a": {"$ref": 5, "enum": "abc"}}},
        {"properties": {"a": {"anyOf": "x", "title": 5}}, "required": "a"},
    ],
)
def test_it_survives_a_schema_that_is_none(schema) -> None:
    shapes = shapes_of(schema, {"a": "x"})
    form = ValueForm({"value-0": "y"}, shapes)
    assert form.is_valid()
    assert form.value() == {"a": "y"}
