"""Values against JSON Schemas (draft 2020-12) that others wrote."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry

from agents_app.protocol.errors import Code, SynapseError


def errors_in(schema: Mapping[str, object], value: object) -> dict[str, str]:
    """Path → what a JSON Schema has against the value.

    SCHEMA_INVALID when the schema itself cannot be used. Its author may be a remote
    agent, so a reference to another document is never followed (G25).
    """
    try:
        validator = Draft202012Validator(dict(schema), registry=Registry())
        found = list(validator.iter_errors(value))
    except Exception as broken:
        raise SynapseError(Code.SCHEMA_INVALID) from broken
    return {_path(error.absolute_path): error.message[:500] for error in found[:20]}


def _path(parts: Any) -> str:
    # Any: a deque of names and numbers, typed as such nowhere.
    return ".".join(str(part) for part in parts)
