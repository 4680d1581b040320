"""What is told of an error: short, whatever values, keys and schemas contain."""

import json
from collections.abc import Iterable
from typing import Any

_SHOWN = 500
_SHOWN_PATH = 200
_ALTERNATIVES = 5
_WORDS = {
    "const": "must be {}",
    "contains": "must have an item of the kind that is required",
    "dependentRequired": "must have: {}",
    "enum": "must be one of: {}",
    "exclusiveMaximum": "must be less than {}",
    "exclusiveMinimum": "must be more than {}",
    "format": "must have the format {}",
    "items": "has more items than are expected",
    "maxContains": "must have at most {} items of the kind that is limited",
    "maxItems": "must have at most {} items",
    "maxLength": "must have at most {} characters",
    "maxProperties": "must have at most {} members",
    "maximum": "must be at most {}",
    "minContains": "must have at least {} items of the kind that is required",
    "minItems": "must have at least {} items",
    "minLength": "must have at least {} characters",
    "minProperties": "must have at least {} members",
    "minimum": "must be at least {}",
    "multipleOf": "must be a multiple of {}",
    "not": "must not fit what is excluded",
    "pattern": "must match {}",
    "required": "must have: {}",
    "type": "must be of type {}",
    "uniqueItems": "must not have the same item twice",
    None: "is not expected here",  # A schema `false`.
}


def told(error: Any, alternatives: int = _ALTERNATIVES) -> str:
    """What is wrong with the value at the error's path."""
    if error.context:
        reasons = [_reason(each) for each in error.context[:alternatives]]
        text = "; or ".join(dict.fromkeys(reasons))
    else:
        words = _WORDS.get(error.validator, error.message)
        text = words.format(_argument(error)) if "{}" in words else words
    if "propertyNames" in error.schema_path:
        text = f"has the name {shown(error.instance, 50)}, which {text}"
    return text[:_SHOWN]


def join(path: Iterable[str | int]) -> str:
    """`items.3.name`, printable and cut."""
    # Cut first: a key can be a megabyte.
    text = ".".join(str(step)[:_SHOWN_PATH] for step in path)[:_SHOWN_PATH]
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def shown(value: object, length: int = 100) -> str:
    """A value of the schema as it stands in a text."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:length] + "…" if len(text) > length else text[:length]


def _reason(error: Any) -> str:
    """One of an inner choice will do, or they would multiply."""
    return f"{join(error.path)} {told(error, 1)}".strip()


def _argument(error: Any) -> str:
    argument = error.validator_value
    match error.validator:
        case "type":
            return argument if isinstance(argument, str) else " or ".join(argument)
        case "required":
            return _listed(name for name in argument if name not in error.instance)
        case "dependentRequired":
            needs = [argument[name] for name in argument if name in error.instance]
            names = dict.fromkeys(name for names in needs for name in names)
            return _listed(name for name in names if name not in error.instance)
        case "enum":
            return _listed(argument)
    return shown(argument)


def _listed(values: Iterable[object]) -> str:
    """The first few of many."""
    many = list(values)
    few = ", ".join(shown(value) for value in many[:10])
    return few if len(many) <= 10 else f"{few} and {len(many) - 10} more"
