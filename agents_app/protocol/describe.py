"""The tables of docs/protocol.md, rendered from the code so that they cannot drift.

Beside the flow. `python -m agents_app.protocol.describe docs/protocol.md` fills them.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from agents_app.protocol import values
from agents_app.protocol.errors import CATALOGUE
from agents_app.protocol.messages import MESSAGES
from agents_app.protocol.model import Value
from agents_app.protocol.states import (
    IMPLIES_CONFIRM,
    LIVE,
    TERMINAL,
    TRANSITIONS,
    WAITING,
    Arrows,
    TaskState,
    public_status,
)

_REGION = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

_OBJECTS: tuple[type[Value], ...] = (
    values.ErrorObject,
    values.MissingField,
    values.Option,
    values.Decision,
    values.DecidedBy,
    values.Attachment,
    values.TaskTypeCapability,
)


def fill(text: str) -> str:
    """`text` with every region between table markers rendered anew."""
    return _REGION.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


def states() -> str:
    rows = (
        [f"`{state}`", f"`{public_status(state)}`", _kind(state)] for state in TaskState
    )
    return _table(["state", "P2A status", "kind"], rows)


def _kind(state: TaskState) -> str:
    if state in TERMINAL:
        return "end"
    return "a question is open" if state in WAITING else ""


def transitions() -> str:
    rows = []
    for move, arrows in TRANSITIONS.items():
        implied = "yes" if move in IMPLIES_CONFIRM else ""
        targets = " / ".join(f"`{state}`" for state in sorted(set(arrows.values())))
        rows.append([f"`{move}`", _sources(arrows), targets, implied])
    return _table(["move", "from", "to", "implies confirm from `pending`"], rows)


def _sources(arrows: Arrows) -> str:
    if set(arrows) == LIVE:
        return "any live state"
    if set(arrows) == LIVE - {TaskState.IDLE}:
        return "any live state but `idle`"
    return ", ".join(f"`{state}`" for state in TaskState if state in arrows)


def messages() -> str:
    rows = (
        [f"`{message_type}`", str(spec.sender), _fields(spec.payload)]
        for message_type, spec in MESSAGES.items()
    )
    return _table(["type", "sent by", "payload"], rows)


def objects() -> str:
    rows = ([model.__name__, _fields(model)] for model in _OBJECTS)
    return _table(["object", "fields"], rows)


def _fields(model: type[Value]) -> str:
    schema = model.model_json_schema()
    required = schema.get("required", [])
    return "<br>".join(
        f"`{name}` {_type(field, schema.get('$defs', {}))}"
        + (" **required**" if name in required else "")
        for name, field in schema["properties"].items()
    )


# Any: a JSON Schema is a tree of whatever its keywords allow.
def _type(field: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    field = next(
        (choice for choice in field.get("anyOf", []) if choice != {"type": "null"}),
        field,
    )
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return _type(defs[name], {}) if "enum" in defs[name] else name
    if "enum" in field:
        return " / ".join(field["enum"])
    if field.get("type") == "array":
        return f"array of {_type(field['items'], defs)}"
    return str(field.get("type", "any"))


def errors() -> str:
    rows = (
        [
            str(int(spec.code)),
            spec.code.name,
            str(spec.category),
            str(spec.http_status),
            "yes" if spec.retryable else "",
            spec.text,
            spec.text_zh,
        ]
        for spec in CATALOGUE.values()
    )
    heads = ["code", "name", "category", "HTTP", "retry may help", "text", "中文"]
    return _table(heads, rows)


def _table(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


TABLES: Mapping[str, Callable[[], str]] = {
    "states": states,
    "transitions": transitions,
    "messages": messages,
    "objects": objects,
    "errors": errors,
}


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(fill(page.read_text("utf-8")), "utf-8")
