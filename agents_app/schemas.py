"""JSON Schemas of questions: looked at when one is asked, applied when it is answered.

`context` checks what a handler asks with, `tasks_app.desk` what people answer. Draft
2020-12 whatever a schema calls itself. Its author may be a remote agent, so a reference
to another document is never followed (G25).
"""

from collections.abc import Iterator, Mapping
from typing import cast

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012, Schema, SchemaResource

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.jsontext import dumps, loads
from agents_app.protocol.times import parse_rfc3339

_REFERENCES = ("$ref", "$dynamicRef")
_SHOWN = 500
# JSON Schema leaves it open whether `format` is asserted; here a date is a date.
_FORMATS = FormatChecker(Draft202012Validator.FORMAT_CHECKER.checkers)


@_FORMATS.checks("date-time", raises=ValueError)
def _is_moment(value: object) -> bool:
    """Without an optional package jsonschema has no opinion on this one."""
    if isinstance(value, str):
        parse_rfc3339(value)
    return True


def check_schema(schema: Mapping[str, object], what: str) -> None:
    """SCHEMA_INVALID unless answers can be held against it.

    `what` names the schema in the details. A keyword with a wrong value, a pattern that
    is none, a reference that leads nowhere or out of the schema make it useless.
    """
    try:
        # As it will be read when it is answered: a tuple is an array by then.
        stored = cast(dict[str, object], loads(dumps(dict(schema))))
        Draft202012Validator.check_schema(stored)
        _follow_references(DRAFT202012.create_resource(stored))
        errors_in(stored, None)  # Also one that refers to itself without end.
    except Exception as broken:
        details = {"schema": what, "problem": _problem(broken)}
        raise SynapseError(Code.SCHEMA_INVALID, details=details) from broken


def errors_in(schema: Mapping[str, object], value: object) -> dict[str, str]:
    """Path → what a schema has against the value.

    SCHEMA_INVALID when the schema itself cannot be used.
    """
    try:
        validator = Draft202012Validator(
            dict(schema), registry=Registry(), format_checker=_FORMATS
        )
        found = list(validator.iter_errors(value))
    except Exception as broken:
        raise SynapseError(Code.SCHEMA_INVALID) from broken
    return {
        ".".join(map(str, error.absolute_path)): error.message[:_SHOWN]
        for error in found[:20]
    }


def _follow_references(root: SchemaResource) -> None:
    """Look each one up, and those where it leads, as a validator would."""
    seen: set[int] = set()
    pending = [(root, Registry().resolver_with_root(root))]
    while pending:
        part, outer = pending.pop()
        if id(part.contents) in seen:
            continue
        seen.add(id(part.contents))
        resolver = outer.in_subresource(part)
        for reference in _references(part.contents):
            found = resolver.lookup(reference)
            target = DRAFT202012.create_resource(found.contents)
            pending.append((target, found.resolver))
        pending.extend((inner, resolver) for inner in _parts(part))


def _references(schema: Schema) -> Iterator[str]:
    if isinstance(schema, Mapping):
        yield from (str(schema[name]) for name in _REFERENCES if name in schema)


def _parts(schema: SchemaResource) -> Iterator[Resource[Schema]]:
    if isinstance(schema.contents, Mapping):
        yield from schema.subresources()


def _problem(broken: Exception) -> str:
    if isinstance(broken, SchemaError):
        return f"{broken.json_path}: {broken.message}"[:_SHOWN]
    if isinstance(broken, Unresolvable):
        return f"The reference {broken.ref!r} leads nowhere."[:_SHOWN]
    return "It cannot be applied."
