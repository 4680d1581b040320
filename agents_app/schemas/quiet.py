"""Schemas and values as they are held against each other: each part knows who pays.

jsonschema writes every value that does not fit into a text, and the schema as well,
however large and however often. Nobody reads those texts (see `words`), so here
everything that may be large shows as `…`.
"""

from collections.abc import Mapping
from typing import Any

from agents_app.schemas.budget import Budget
from agents_app.schemas.run import Run

_SHORT = 100


class Text(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "…"


class Array(list[Any]):
    __slots__ = ()

    def __repr__(self) -> str:
        return "…"


class Object(dict[str, Any]):
    """`cost` is what it takes to look at its members and to walk along theirs."""

    __slots__ = ("cost", "run")
    cost: int
    run: Run

    def __repr__(self) -> str:
        return "…"


def document(schema: Mapping[str, object], budget: Budget) -> Object:
    """A whole schema, draft 2020-12 whatever it calls itself. TooMuch."""
    run = Run(budget)
    used = {word: schema[word] for word in schema if word not in ("$schema", "$id")}
    run.document = _object(used, run)
    return run.document


def quieted(value: object, run: Run) -> Any:
    """The same value, for this run. TooMuch."""
    if isinstance(value, str):
        return value if len(value) <= _SHORT else Text(value)
    if isinstance(value, dict):
        run.spend(1 + len(value) // 2)
        return _object(value, run)
    if isinstance(value, list | tuple):
        run.spend(1 + len(value) // 4)
        return Array([quieted(item, run) for item in value])
    return value


def _object(value: Mapping[str, object], run: Run) -> Object:
    made = Object(
        {quieted(name, run): quieted(item, run) for name, item in value.items()}
    )
    wide = sum(len(item) for item in made.values() if isinstance(item, list | dict))
    made.cost = 2 + (len(made) + wide) // 8
    made.run = run
    return made
