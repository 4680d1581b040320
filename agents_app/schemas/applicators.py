"""Keywords that hold other schemas against the value, or against its members."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from agents_app.schemas.complaints import Complaints, Enough
from agents_app.schemas.holding import Holding, Judge, Place

_ALTERNATIVES = 5


def _ref(run: Holding, place: Place, reference: Any) -> None:
    run.join(place, run.target(reference))


def _all_of(run: Holding, place: Place, schemas: Any) -> None:
    for schema in schemas:
        run.join(place, schema)
        if place.decided:
            return


def _any_of(run: Holding, place: Place, schemas: Any) -> None:
    if not _fitting(run, place, schemas):
        place.refuse(_why_none(run, place, schemas))


def _one_of(run: Holding, place: Place, schemas: Any) -> None:
    fitting = _fitting(run, place, schemas)
    if not fitting:
        place.refuse(_why_none(run, place, schemas))
    elif fitting > 1:
        place.refuse(f"fits {fitting} of the alternatives, not one")


def _fitting(run: Holding, place: Place, schemas: Iterable[Any]) -> int:
    """How many of them the value fits."""
    inner = [run.hold(schema, place.value, place.path, None) for schema in schemas]
    place.seen.update(*(alternative.seen for alternative in inner if alternative.valid))
    return sum(alternative.valid for alternative in inner)


def _why_none(run: Holding, place: Place, schemas: list[Any]) -> str:
    if place.complaints is None:
        return ""
    reasons = [_reason(run, place, schema) for schema in schemas[:_ALTERNATIVES]]
    return "; or ".join(dict.fromkeys(reasons))


def _reason(run: Holding, place: Place, schema: Any) -> str:
    """The first thing that one alternative has against the value."""
    found = Complaints(limit=1)
    with suppress(Enough):
        run.hold(schema, place.value, (), found)
    path, text = next(iter(found.texts.items()))
    return f"{path} {text}".strip()


def _not(run: Holding, place: Place, schema: Any) -> None:
    if run.hold(schema, place.value, place.path, None).valid:
        place.refuse("must not fit what is excluded")


def _if(run: Holding, place: Place, schema: Any) -> None:
    test = run.hold(schema, place.value, place.path, None)
    if test.valid:
        place.seen |= test.seen
    run.join(place, place.schema.get("then" if test.valid else "else", True))


def _dependent_schemas(run: Holding, place: Place, schemas: Any) -> None:
    for name, schema in schemas.items():
        run.budget.spend(1)
        if isinstance(place.value, dict) and name in place.value:
            run.join(place, schema)


def _properties(run: Holding, place: Place, schemas: Any) -> None:
    if not isinstance(place.value, dict):
        return
    fewer, more = sorted((schemas, place.value), key=len)
    run.budget.spend(len(fewer) // 8)
    for name in [name for name in fewer if name in more]:
        run.member(place, name, schemas[name])
        if place.decided:
            return


def _pattern_properties(run: Holding, place: Place, schemas: Any) -> None:
    if isinstance(place.value, dict):
        for pattern, schema in schemas.items():
            for name in place.value:
                if run.matches(pattern, name):
                    run.member(place, name, schema)


def _additional_properties(run: Holding, place: Place, schema: Any) -> None:
    if not isinstance(place.value, dict):
        return
    known = place.schema.get("properties", {})
    patterns = place.schema.get("patternProperties", {})
    run.budget.spend(len(place.value) // 8)
    for name in [name for name in place.value if name not in known]:
        if not any(run.matches(pattern, name) for pattern in patterns):
            run.member(place, name, schema)
            if place.decided:
                return


def _property_names(run: Holding, place: Place, schema: Any) -> None:
    if isinstance(place.value, dict):
        for name in place.value:
            if not run.hold(schema, name, place.path, None).valid:
                place.refuse(f"must not have a member of the name {name[:100]}")
                return


def _prefix_items(run: Holding, place: Place, schemas: Any) -> None:
    if isinstance(place.value, list):
        for index, (schema, _) in enumerate(zip(schemas, place.value, strict=False)):
            run.member(place, index, schema)


def _items(run: Holding, place: Place, schema: Any) -> None:
    if isinstance(place.value, list):
        first = len(place.schema.get("prefixItems", ()))
        for index in range(first, len(place.value)):
            run.budget.spend(1)
            run.member(place, index, schema)
            if place.decided:
                return


def _contains(run: Holding, place: Place, schema: Any) -> None:
    if not isinstance(place.value, list):
        return
    least = place.schema.get("minContains", 1)
    most = place.schema.get("maxContains")
    fitting = [
        index
        for index, item in enumerate(place.value)
        if run.hold(schema, item, place.path, None).valid
    ]
    place.seen.update(fitting)
    if len(fitting) < least:
        place.refuse(f"has {len(fitting)} items of the kind that is required")
    if most is not None and len(fitting) > most:
        place.refuse(f"has {len(fitting)} items of a kind that is limited")


def _unevaluated_properties(run: Holding, place: Place, schema: Any) -> None:
    if isinstance(place.value, dict):
        for name in [name for name in place.value if name not in place.seen]:
            run.member(place, name, schema)


def _unevaluated_items(run: Holding, place: Place, schema: Any) -> None:
    if isinstance(place.value, list):
        unseen = [i for i in range(len(place.value)) if i not in place.seen]
        for index in unseen:
            run.member(place, index, schema)


JUDGES: Mapping[str, Judge] = {
    "$ref": _ref,
    "additionalProperties": _additional_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "contains": _contains,
    "dependentSchemas": _dependent_schemas,
    "if": _if,
    "items": _items,
    "not": _not,
    "oneOf": _one_of,
    "patternProperties": _pattern_properties,
    "prefixItems": _prefix_items,
    "properties": _properties,
    "propertyNames": _property_names,
}
# After all others of their schema: they are about what nobody looked at.
LATE_JUDGES: Mapping[str, Judge] = {
    "unevaluatedItems": _unevaluated_items,
    "unevaluatedProperties": _unevaluated_properties,
}
