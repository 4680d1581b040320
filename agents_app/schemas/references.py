"""`$ref`: by JSON pointer (RFC 6901) to a place in the same schema, never elsewhere."""

from collections.abc import Mapping
from urllib.parse import unquote


class BadReference(Exception):
    """It leads nowhere, or out of the schema."""


def look_up(root: object, reference: str) -> object:
    """The part of a schema that `#` or `#/a/b` names."""
    if reference != "#" and not reference.startswith("#/"):
        raise BadReference("must lead to a place in this schema: #/…")
    found = root
    for step in unquote(reference[1:]).split("/")[1:]:
        found = _inside(found, step.replace("~1", "/").replace("~0", "~"))
    return found


def _inside(value: object, step: str) -> object:
    if isinstance(value, Mapping) and step in value:
        return value[step]
    if isinstance(value, list) and step.isascii() and step.isdigit():
        index = int(step[:9])
        if index < len(value):
            return value[index]
    raise BadReference("leads nowhere")
