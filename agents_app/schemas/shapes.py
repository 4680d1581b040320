"""Which keywords there are, and what stands behind each (JSON Schema 2020-12)."""

from collections.abc import Callable, Iterator, Mapping

from agents_app.schemas.equality import is_number

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")

ONE = frozenset(
    {
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
NAMED = frozenset({"$defs", "dependentSchemas", "patternProperties", "properties"})
# They apply to the value itself, so they must not lead back to where they stand.
IN_PLACE = frozenset(
    {"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"}
)
REFUSED = ("$dynamicRef", "$recursiveRef")


def parts(keyword: str, argument: object) -> Iterator[tuple[str, object]]:
    """The schemas behind a keyword, with the steps that lead there; none if broken."""
    if keyword in ONE:
        yield "", argument
    elif keyword in MANY and isinstance(argument, list):
        yield from ((f"[{index}]", part) for index, part in enumerate(argument))
    elif keyword in NAMED and isinstance(argument, Mapping):
        yield from ((f".{name}", part) for name, part in argument.items())


def complaint(keyword: str, argument: object) -> str | None:
    """What is wrong with the value of a keyword, parts aside."""
    if keyword in MANY and not (isinstance(argument, list) and argument):
        return "must be a list of schemas"
    if keyword in NAMED and not isinstance(argument, Mapping):
        return "must be an object of schemas"
    if keyword in REFUSED:
        return "cannot be used here"
    judge, text = _SHAPES.get(keyword, (None, None))
    return None if judge is None or judge(argument) else text


def _is_count(value: object) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return is_number(value) and whole and value >= 0


def _is_positive(value: object) -> bool:
    return is_number(value) and value > 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _are_names(value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return False
    return len(set(value)) == len(value)


def _are_lists_of_names(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_are_names, value.values()))


def _are_types(value: object) -> bool:
    if isinstance(value, str):
        return value in TYPES
    return bool(value) and _are_names(value) and set(TYPES).issuperset(value)  # type: ignore[arg-type]


_Shape = tuple[Callable[[object], bool], str]
_COUNT: _Shape = (_is_count, "must be a whole number from 0")
_NUMBER: _Shape = (is_number, "must be a number")
_TEXT: _Shape = (_is_text, "must be a text")
_FLAG: _Shape = (_is_flag, "must be true or false")
_LIST: _Shape = (_is_list, "must be a list")
_SHAPES: Mapping[str, _Shape] = {
    "$comment": _TEXT,
    "$id": _TEXT,
    "$ref": _TEXT,
    "$schema": _TEXT,
    "dependentRequired": (_are_lists_of_names, "must be an object of lists of names"),
    "deprecated": _FLAG,
    "description": _TEXT,
    "enum": _LIST,
    "examples": _LIST,
    "exclusiveMaximum": _NUMBER,
    "exclusiveMinimum": _NUMBER,
    "format": _TEXT,
    "maxContains": _COUNT,
    "maxItems": _COUNT,
    "maxLength": _COUNT,
    "maxProperties": _COUNT,
    "maximum": _NUMBER,
    "minContains": _COUNT,
    "minItems": _COUNT,
    "minLength": _COUNT,
    "minProperties": _COUNT,
    "minimum": _NUMBER,
    "multipleOf": (_is_positive, "must be a number above 0"),
    "pattern": _TEXT,
    "readOnly": _FLAG,
    "required": (_are_names, "must be a list of different names"),
    "title": _TEXT,
    "type": (_are_types, f"must be one or more of {', '.join(TYPES)}"),
    "uniqueItems": _FLAG,
    "writeOnly": _FLAG,
}
