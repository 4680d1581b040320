"""Which values survive every database and every peer's JSON parser.

`jsontext` calls this for what it reads; form fields and handler results, which never
were JSON text, come here directly.
"""

import re
from collections.abc import Iterator
from math import isfinite

from agents_app.protocol.errors import Code, SynapseError

MAX_DEPTH = 64
# Of the largest float: PostgreSQL's jsonb gives 1e308 back as an integer this long.
MAX_DIGITS = 309
_SHOWN_PATH = 200

Steps = tuple[str | int, ...]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER_LIMIT = 10**MAX_DIGITS


def check_storable(
    value: object, path: str = "", *, max_depth: int = MAX_DEPTH
) -> None:
    """UNSTORABLE_VALUE for the first value, in document order, that cannot be kept.

    Refused are NUL characters, lone surrogates, NaN and infinities, integers of more
    than 309 digits, keys that are no strings, nesting over `max_depth` and anything
    JSON has no word for. `path` is where `value` itself stands.
    """
    for steps, item in walk(value):
        if len(steps) >= max_depth and isinstance(item, dict | list | tuple):
            raise refusal(f"Nested deeper than {max_depth} levels.", path, steps)
        if complaint := _complaint(item):
            raise refusal(complaint, path, steps)


def walk(value: object) -> Iterator[tuple[Steps, object]]:
    """Every value inside `value` with the steps that lead there; parents come first.

    Without recursion, so that depth costs no stack; each step is taken on demand, so
    that a caller who stops early never meets the rest of a cycle.
    """
    pending: list[tuple[Steps, object]] = [((), value)]
    while pending:
        steps, item = pending.pop()
        yield steps, item
        if isinstance(item, dict):
            inner = [((*steps, key), child) for key, child in item.items()]
        elif isinstance(item, list | tuple):
            inner = [((*steps, index), child) for index, child in enumerate(item)]
        else:
            continue
        pending.extend(reversed(inner))


def refusal(
    message: str, path: str, steps: Steps, code: Code = Code.UNSTORABLE_VALUE
) -> SynapseError:
    """An error whose details name the field."""
    return SynapseError(code, message, details={"path": show_path(path, steps)})


def show_path(path: str, steps: Steps) -> str:
    """`payload.items[3].name`: printable and short, whatever the keys contain."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    text = (path + "".join(parts)).removeprefix(".")[:_SHOWN_PATH]
    return "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def _complaint(item: object) -> str | None:
    match item:
        case str():
            return _text_complaint(item)
        case None | bool() | list() | tuple():
            return None
        case int():
            giant = not -_INTEGER_LIMIT < item < _INTEGER_LIMIT
            return f"Integers have at most {MAX_DIGITS} digits." if giant else None
        case float():
            return None if isfinite(item) else "Numbers must be finite."
        case dict():
            return next(filter(None, map(_key_complaint, item)), None)
        case _:
            return "This is not a JSON value."


def _key_complaint(key: object) -> str | None:
    return _text_complaint(key) if isinstance(key, str) else "Keys must be strings."


def _text_complaint(text: str) -> str | None:
    if "\0" in text:
        return "NUL characters cannot be stored."
    if not text.isascii() and _LONE_SURROGATE.search(text):
        return "Lone surrogates cannot be stored."
    return None
