"""Whether something is a schema that values can be held against, and that ends."""

import json
import threading
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any
from urllib.parse import urljoin

from jsonschema import Draft202012Validator
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing.jsonschema import DRAFT202012

from agents_app.protocol.storable import walk
from agents_app.schemas.applying import held
from agents_app.schemas.budget import Budget
from agents_app.schemas.quiet import Object, document
from agents_app.schemas.run import BadReference
from agents_app.schemas.words import shown, told

# They apply to the value itself, so they must not lead back to where they stand.
_IN_PLACE = frozenset(
    {"allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"}
)
# `$schema` would choose another validator, `$id` another document to refer to; at the
# top, where both are usual, they are taken off before.
_UNUSABLE = ("$dynamicRef", "$id", "$recursiveRef", "$schema")


class Broken(Exception):
    """Where it is broken and how: `$.items.type: must be …`."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{shown(path, 200)}: {text}")


def check(root: Object, budget: Budget) -> None:
    """Broken, TooMuch."""
    _SHAPE.root.run.renew(budget)
    parts: dict[int, Object] = {}
    beside: dict[int, list[int]] = {}
    unchecked = [root]
    for start in unchecked:  # It grows meanwhile.
        if id(start) not in parts:
            _check_shape(root, start)
        for part in _inside(start, parts):
            near = _near(root, part)
            unchecked.extend(near)
            beside[id(part)] = [id(schema) for schema in near]
    _check_ends(root, parts, beside)


def _check_shape(root: Object, start: Object) -> None:
    for error in _SHAPE.held.iter_errors(start):
        text = told(error)
        if error.cause:  # Why a pattern is none.
            text = f"{shown(error.instance)} {error.cause}"
        elif error.validator is None:
            text = "cannot be used here"
        elif error.validator_value == _SHAPE.root["type"]:
            text = "must be a schema"
        raise Broken(_path(root, start, *error.path), text)


def _inside(start: Object, parts: dict[int, Object]) -> Iterator[Object]:
    """The schemas in it that are new, with itself."""
    pending = [start]
    while pending:
        part = pending.pop()
        if isinstance(part, Object) and id(part) not in parts:
            parts[id(part)] = part
            part.run.spend(5 + part.cost)
            yield part
            pending.extend(DRAFT202012.subresources_of(part))


def _near(root: Object, part: Object) -> list[Object]:
    """The schemas inside and elsewhere that are about the same value."""
    words = {word: part[word] for word in _IN_PLACE & part.keys()}
    near: list[Any] = [*DRAFT202012.subresources_of(words)]
    if "$ref" in part:
        near.append(_follow(root, part, part["$ref"]))
    return [schema for schema in near if isinstance(schema, Object)]


def _follow(root: Object, part: Object, reference: str) -> Any:
    try:
        target = root.run.target(reference)
        if not isinstance(target, bool | Object):
            raise BadReference("leads to no schema")
    except BadReference as refused:
        where = _path(root, part, "$ref")
        raise Broken(where, f"{shown(reference)} {refused}") from refused
    return target


def _check_ends(
    root: Object, parts: Mapping[int, Object], beside: Mapping[int, list[int]]
) -> None:
    try:
        TopologicalSorter(beside).prepare()
    except CycleError as circle:
        where = _path(root, parts[circle.args[1][0]])
        raise Broken(where, "refers to itself without end") from circle


def _path(root: Object, part: Object, *more: str | int) -> str:
    """Looked for only when something is wrong there."""
    steps = next(list(steps) for steps, found in walk(root) if found is part)
    named = (f"[{s}]" if isinstance(s, int) else f".{s}" for s in (*steps, *more))
    return "$" + "".join(named)


def _one_document() -> dict[str, Any]:
    """The metaschema, whose parts lie in many documents and refer to each other by
    `$dynamicRef`: as one, it takes a fifth of the time."""
    whole = Draft202012Validator.META_SCHEMA
    properties: dict[str, Any] = {"definitions": whole["properties"]["definitions"]}
    definitions: dict[str, Any] = {}
    for part in whole["allOf"]:
        found = REGISTRY.contents(urljoin(whole["$id"], part["$ref"]))
        properties |= found["properties"]
        definitions |= found.get("$defs", {})
    properties |= dict.fromkeys(_UNUSABLE, False)
    flat = {"type": whole["type"], "properties": properties, "$defs": definitions}
    text = json.dumps(flat).replace('"$dynamicRef": "#meta"', '"$ref": "#"')
    return dict(json.loads(text))


class _Shape(threading.local):
    """Optimization: made once in each thread, where one check follows another."""

    def __init__(self) -> None:
        self.root = document(_one_document(), Budget(10_000))
        self.held = held(self.root)


_SHAPE = _Shape()
