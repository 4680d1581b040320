"""Keywords that replace jsonschema's: theirs could run away, or say too little.

Regular expressions that backtrack, comparisons of everything with everything, all
reasons where one is told. `applying` puts them in.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from agents_app.schemas.formats import fits
from agents_app.schemas.patterns import BadPattern
from agents_app.schemas.quiet import Object
from agents_app.schemas.unevaluated import unseen

# Any: a validator class that jsonschema makes at run time, the value of the keyword,
# which was checked before, and the value that is held against the schema.
Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
Errors = Iterator[ValidationError]

THEIRS: dict[str, Keyword] = Draft202012Validator.VALIDATORS
_NUMBERS = (int, float)


def _pattern(_: Any, pattern: str, value: Any, schema: Object) -> Errors:
    if isinstance(value, str) and not schema.run.pattern(pattern).matches(value):
        yield ValidationError("")


def _format(_: Any, name: str, value: Any, schema: Object) -> Errors:
    if not isinstance(value, str):
        return
    if name == "regex":
        try:
            schema.run.pattern(value)
        except BadPattern as bad:
            yield ValidationError("", cause=bad)
    elif not fits(value, name):
        yield ValidationError("")


def _enum(_: Any, choices: Any, value: Any, schema: Object) -> Errors:
    if schema.run.key(value) not in schema.run.keys(choices):
        yield ValidationError("")


def _const(_: Any, wanted: Any, value: Any, schema: Object) -> Errors:
    if schema.run.key(value) != schema.run.key(wanted):
        yield ValidationError("")


def _unique_items(_: Any, wanted: bool, value: Any, schema: Object) -> Errors:
    if not wanted or not isinstance(value, list):
        return
    if len(set(map(schema.run.key, value))) < len(value):
        yield ValidationError("")


def _multiple_of(_: Any, step: Any, value: Any, schema: Object) -> Errors:
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        schema.run.spend(10)
        # As they are written: 0.3 is a multiple of 0.1.
        if Fraction(str(value)) % Fraction(str(step)):
            yield ValidationError("")


def _ref(validator: Any, reference: str, value: Any, schema: Object) -> Errors:
    yield from validator.descend(value, schema.run.target(reference))


def _any_of(validator: Any, schemas: Any, value: Any, on: Object) -> Errors:
    reasons = []
    for schema in schemas:
        reason = _reason(validator, schema, value, on)
        if reason is None:
            return
        reasons.append(reason)
    yield ValidationError("", context=reasons)


def _one_of(validator: Any, schemas: Any, value: Any, on: Object) -> Errors:
    reasons: list[Any] = [_reason(validator, each, value, on) for each in schemas]
    fitting = reasons.count(None)
    if not fitting:
        yield ValidationError("", context=reasons)
    elif fitting > 1:
        yield ValidationError(f"fits {fitting} of the alternatives, not one")


def _reason(validator: Any, schema: Any, value: Any, on: Object) -> Any:
    """The first one, if the value does not fit; jsonschema takes all of them."""
    on.run.spend(7)
    return next(validator.descend(value, schema), None)


def _members(validator: Any, value: Any, steps: Iterable[Any], schema: Any) -> Errors:
    """Unlike `descend` with a path, says which member a schema `false` refuses."""
    for step in steps:
        for error in validator.descend(value[step], schema):
            error.path.appendleft(step)
            yield error


def _properties(validator: Any, schemas: Any, value: Any, _: Any) -> Errors:
    if isinstance(value, dict):
        for name in schemas:
            if name in value:
                yield from _members(validator, value, (name,), schemas[name])


def _pattern_properties(validator: Any, schemas: Any, value: Any, on: Object) -> Errors:
    if isinstance(value, dict):
        for text, schema in schemas.items():
            pattern = on.run.pattern(text)
            names = (name for name in value if pattern.matches(name))
            yield from _members(validator, value, names, schema)


def _additional_properties(validator: Any, schema: Any, value: Any, on: Any) -> Errors:
    if isinstance(value, dict):
        on.run.spend(len(value) // 2)
        known = on.get("properties", ())
        patterns = list(map(on.run.pattern, on.get("patternProperties", ())))
        names = (
            name
            for name in value
            if name not in known and not any(p.matches(name) for p in patterns)
        )
        yield from _members(validator, value, names, schema)


def _dependent_required(validator: Any, needs: Any, value: Any, on: Object) -> Any:
    on.run.spend(sum(map(len, needs.values())) // 8)
    return THEIRS["dependentRequired"](validator, needs, value, on)


def _unevaluated(kind: type) -> Keyword:
    def keyword(validator: Any, schema: Any, value: Any, on: Object) -> Errors:
        if isinstance(value, kind):
            steps = unseen(validator, value, on)
            yield from _members(validator, value, steps, schema)

    return keyword


INSTEAD: dict[str, Keyword] = {
    "$ref": _ref,
    "additionalProperties": _additional_properties,
    "anyOf": _any_of,
    "const": _const,
    "dependentRequired": _dependent_required,
    "enum": _enum,
    "format": _format,
    "multipleOf": _multiple_of,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "properties": _properties,
    "unevaluatedItems": _unevaluated(list),
    "unevaluatedProperties": _unevaluated(dict),
    "uniqueItems": _unique_items,
}
