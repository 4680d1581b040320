"""Keywords that look at the value itself, not at its members."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from agents_app.schemas import formats
from agents_app.schemas.complaints import listed, shown
from agents_app.schemas.equality import is_number
from agents_app.schemas.holding import Holding, Judge, Place


def is_type(value: object, name: str) -> bool:
    """Whether a value is of a JSON type; 1.0 is an integer."""
    match name:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            whole = not isinstance(value, float) or value.is_integer()
            return is_number(value) and whole
        case "number":
            return is_number(value)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list | tuple)
        case _:
            return isinstance(value, dict)


def _type(_run: Holding, place: Place, allowed: Any) -> None:
    names = [allowed] if isinstance(allowed, str) else allowed
    if not any(is_type(place.value, name) for name in names):
        kinds = " or ".join(names)
        place.refuse(f"must be of type {kinds}")


def _enum(run: Holding, place: Place, choices: Any) -> None:
    if run.key(place.value) not in run.keys(choices):
        place.refuse(f"must be one of: {listed(choices)}")


def _const(run: Holding, place: Place, wanted: Any) -> None:
    if run.key(place.value) != run.key(wanted):
        place.refuse(f"must be {shown(wanted)}")


def _multiple_of(run: Holding, place: Place, step: Any) -> None:
    if is_number(place.value):
        run.budget.spend(10)  # As many digits as it takes to be exact.
        if Fraction(str(place.value)) % Fraction(str(step)):
            place.refuse(f"must be a multiple of {shown(step)}")


def _maximum(_run: Holding, place: Place, limit: Any) -> None:
    if is_number(place.value) and place.value > limit:
        place.refuse(f"must be at most {shown(limit)}")


def _exclusive_maximum(_run: Holding, place: Place, limit: Any) -> None:
    if is_number(place.value) and place.value >= limit:
        place.refuse(f"must be less than {shown(limit)}")


def _minimum(_run: Holding, place: Place, limit: Any) -> None:
    if is_number(place.value) and place.value < limit:
        place.refuse(f"must be at least {shown(limit)}")


def _exclusive_minimum(_run: Holding, place: Place, limit: Any) -> None:
    if is_number(place.value) and place.value <= limit:
        place.refuse(f"must be more than {shown(limit)}")


def _pattern(run: Holding, place: Place, pattern: Any) -> None:
    if isinstance(place.value, str) and not run.matches(pattern, place.value):
        place.refuse(f"must match {shown(pattern)}")


def _format(run: Holding, place: Place, name: Any) -> None:
    text = place.value
    if isinstance(text, str) and not formats.fits(text, name, run.budget):
        place.refuse(f"must have the format {shown(name)}")


def _required(run: Holding, place: Place, names: Any) -> None:
    if isinstance(place.value, dict):
        run.budget.spend(len(names) // 8)
        value = place.value
        missing = [name for name in names if name not in value]
        if missing:
            place.refuse(f"must have: {listed(missing)}")


def _dependent_required(run: Holding, place: Place, needs: Any) -> None:
    for name, names in needs.items():
        run.budget.spend(1)
        if isinstance(place.value, dict) and name in place.value:
            _required(run, place, names)


def _unique_items(run: Holding, place: Place, wanted: Any) -> None:
    if wanted and isinstance(place.value, list):
        run.budget.spend(len(place.value))
        if len({run.key(item) for item in place.value}) < len(place.value):
            place.refuse("must not have the same item twice")


def _size(kind: type, most: bool, text: str) -> Judge:
    def judge(_run: Holding, place: Place, limit: Any) -> None:
        value = place.value
        if isinstance(value, kind):
            size = len(value)  # type: ignore[arg-type] # str, list or dict
            if size > limit if most else size < limit:
                place.refuse(text.format(shown(limit)))

    return judge


JUDGES: Mapping[str, Judge] = {
    "const": _const,
    "dependentRequired": _dependent_required,
    "enum": _enum,
    "exclusiveMaximum": _exclusive_maximum,
    "exclusiveMinimum": _exclusive_minimum,
    "format": _format,
    "maxItems": _size(list, True, "must have at most {} items"),
    "maxLength": _size(str, True, "must have at most {} characters"),
    "maxProperties": _size(dict, True, "must have at most {} members"),
    "maximum": _maximum,
    "minItems": _size(list, False, "must have at least {} items"),
    "minLength": _size(str, False, "must have at least {} characters"),
    "minProperties": _size(dict, False, "must have at least {} members"),
    "minimum": _minimum,
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "required": _required,
    "type": _type,
    "uniqueItems": _unique_items,
}
