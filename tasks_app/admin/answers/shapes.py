"""What kind of input each property of a value needs, from its schema and suggestion.

Reads the part of JSON Schema (draft 2020-12) that says what a field looks like; whether
the answer is valid is decided by the whole schema, in `desk`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from tasks_app.admin.tree import label_of

# More properties than this are quicker to edit as one JSON text.
MAX_FIELDS = 60
_LONG_TEXT = 80

Schema = Mapping[str, object]


class Absent(Enum):
    """What a property has that is not there; None is a value."""

    ABSENT = auto()


ABSENT = Absent.ABSENT


class Kind(StrEnum):
    """Which control fits."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    DATE = "date"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One property: what it is called, what it may be, what it is now."""

    key: str
    kind: Kind
    label: str
    help: str = ""
    initial: object = ABSENT
    required: bool = False
    nullable: bool = False
    choices: tuple[object, ...] = ()


def shapes_of(schema: Schema | None, suggested: object) -> list[Shape] | None:
    """A shape per property; None when the value is better written as one JSON text."""
    whole = schema or {}
    if suggested is not None and not isinstance(suggested, Mapping):
        return None
    now: Mapping[str, object] = suggested or {}
    properties = whole.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    names = [*now, *(name for name in known if name not in now)]
    if whole.get("additionalProperties") is False:
        names = [name for name in names if name in known]
    if not 0 < len(names) <= MAX_FIELDS:
        return None
    required = whole.get("required")
    needed = required if isinstance(required, list) else []
    return [
        shape_of(
            name,
            _resolved(known.get(name), whole),
            initial=now.get(name, ABSENT),
            required=name in needed,
        )
        for name in names
    ]


def shape_of(
    key: str, schema: Schema, *, initial: object = ABSENT, required: bool
) -> Shape:
    """The shape of one property."""
    one, nullable = _without_null(schema)
    kind = _kind(one, initial)
    if not _fits(kind, initial):
        kind = Kind.JSON  # What was suggested is not of the type that was promised.
    title = one.get("title") or schema.get("title")
    text = one.get("description") or schema.get("description")
    return Shape(
        key=key,
        kind=kind,
        label=title if isinstance(title, str) else label_of(key),
        help=text if isinstance(text, str) else "",
        initial=initial,
        required=required,
        nullable=nullable or initial is None,
        choices=_choices(one) if kind is Kind.CHOICE else (),
    )


def _resolved(schema: object, whole: Schema) -> Schema:
    """Follow one `$ref` into the schema's own definitions."""
    if not isinstance(schema, Mapping):
        return {}
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    found: object = whole
    for step in reference.removeprefix("#/").split("/"):
        found = found.get(step) if isinstance(found, Mapping) else None
    return {**found, **schema} if isinstance(found, Mapping) else schema


def _without_null(schema: Schema) -> tuple[Schema, bool]:
    """`anyOf` or a list of types that only adds null is an optional value."""
    types = schema.get("type")
    if isinstance(types, list) and "null" in types:
        rest = [name for name in types if name != "null"]
        return {**schema, "type": rest[0] if len(rest) == 1 else rest}, True
    ways = schema.get("anyOf")
    if isinstance(ways, list):
        rest = [way for way in ways if way != {"type": "null"}]
        if len(rest) == 1 and len(ways) == 2 and isinstance(rest[0], Mapping):
            return rest[0], True
    return schema, False


def _kind(schema: Schema, initial: object) -> Kind:
    if _choices(schema):
        return Kind.CHOICE
    match schema.get("type"):
        case "string":
            return _text_kind(schema, initial)
        case "integer":
            return Kind.INTEGER
        case "number":
            return Kind.NUMBER
        case "boolean":
            return Kind.BOOLEAN
        case None:
            return _kind_of_value(initial)
        case _:
            return Kind.JSON


def _kind_of_value(initial: object) -> Kind:
    match initial:
        case bool():
            return Kind.BOOLEAN
        case int() | float():
            return Kind.NUMBER
        case str():
            return _text_kind({}, initial)
        case _:
            return Kind.JSON if initial is not ABSENT else Kind.TEXT


def _text_kind(schema: Schema, initial: object) -> Kind:
    text = initial if isinstance(initial, str) else ""
    if schema.get("format") == "date" and _is_date(text):
        return Kind.DATE
    long = len(text) > _LONG_TEXT or "\n" in text or "\r" in text
    return Kind.LONG_TEXT if long else Kind.TEXT


def _is_date(text: str) -> bool:
    parts = text.split("-")
    digits = all(part.isascii() and part.isdigit() for part in parts)
    return not text or (digits and [len(part) for part in parts] == [4, 2, 2])


def _choices(schema: Schema) -> tuple[object, ...]:
    options = schema.get("enum")
    few = isinstance(options, Sequence) and 0 < len(options) <= 500
    return tuple(options) if few and isinstance(options, list) else ()


def _fits(kind: Kind, initial: object) -> bool:
    if initial is ABSENT or initial is None:
        return True
    match kind:
        case Kind.TEXT | Kind.LONG_TEXT | Kind.DATE:
            return isinstance(initial, str)
        case Kind.BOOLEAN:
            return isinstance(initial, bool)
        case Kind.INTEGER | Kind.NUMBER:
            return isinstance(initial, int | float) and not isinstance(initial, bool)
        case _:
            return True
