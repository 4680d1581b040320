"""Numbers and equality as JSON Schema means them: 1 is 1.0 and never true."""

import json
from typing import TypeGuard


def is_number(value: object) -> TypeGuard[int | float]:
    """True and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def key_of(value: object) -> str:
    """Equal values have equal keys.

    A text, because its hash is secret: thousands of numbers that fall into one slot of
    a set are easy to find.
    """
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


def size_of(value: object) -> int:
    """How many values there are in it, for what it costs to compare it."""
    if isinstance(value, str):
        return 1 + len(value) // 64
    if isinstance(value, dict):
        return 1 + sum(2 + size_of(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return 1 + sum(map(size_of, value))
    return 1
