"""`unevaluatedItems` and `unevaluatedProperties`: what no other keyword looked at.

Instead of jsonschema's own, which compare each item with each other one and follow
references unpaid.
"""

from collections.abc import Iterator
from typing import Any

from agents_app.schemas.quiet import Object


def unseen(validator: Any, value: Any, schema: Object) -> list[Any]:
    """The names or indexes that only an `unevaluated…` of this schema is about."""
    seen = _seen(validator, value, schema, nested=False)
    steps = value if isinstance(value, dict) else range(len(value))
    return [step for step in steps if step not in seen]


def _seen(validator: Any, value: Any, schema: Any, *, nested: bool = True) -> set[Any]:
    if not isinstance(schema, Object):
        return set()
    schema.run.spend(schema.cost + len(value) // 4)
    look = _properties if isinstance(value, dict) else _items
    seen = look(validator, value, schema, nested)
    for inner in _beside(validator, value, schema):
        seen |= _seen(validator, value, inner)
    return seen


def _properties(_: Any, value: Any, schema: Object, nested: bool) -> set[Any]:
    if "additionalProperties" in schema:
        return set(value)
    if nested and "unevaluatedProperties" in schema:
        return set(value)
    patterns = list(map(schema.run.pattern, schema.get("patternProperties", ())))
    known = schema.get("properties", ())
    return {
        name
        for name in value
        if name in known or any(pattern.matches(name) for pattern in patterns)
    }


def _items(validator: Any, value: Any, schema: Object, nested: bool) -> set[Any]:
    indexes = range(len(value))
    if "items" in schema or (nested and "unevaluatedItems" in schema):
        return set(indexes)
    seen = set(indexes[: len(schema.get("prefixItems", ()))])
    if "contains" in schema:
        kind = validator.evolve(schema=schema["contains"])
        seen.update(index for index in indexes if kind.is_valid(value[index]))
    return seen


def _beside(validator: Any, value: Any, schema: Object) -> Iterator[Any]:
    """The schemas that look at the same value; where it need not fit, if it does."""

    def fits(inner: Any) -> bool:
        return bool(validator.evolve(schema=inner).is_valid(value))

    if "$ref" in schema:
        yield schema.run.target(schema["$ref"])
    yield from schema.get("allOf", ())
    yield from filter(fits, schema.get("anyOf", ()))
    yield from filter(fits, schema.get("oneOf", ()))
    if "if" in schema:
        fit = fits(schema["if"])
        yield from (schema["if"], schema.get("then", True)) if fit else ()
        yield from () if fit else (schema.get("else", True),)
    if isinstance(value, dict):
        needs = schema.get("dependentSchemas", {})
        yield from (needs[name] for name in needs if name in value)
