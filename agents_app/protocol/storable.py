"""Which values survive every database and every peer's JSON parser.

`jsontext` calls this for what it reads; form fields and handler results, which never
were JSON text, come here directly.
"""

import re
from collections.abc import Iterator, Sequence
from math import isfinite

from agents_app.protocol.errors import Code, SynapseError

MAX_DEPTH = 64
# Of the largest float: PostgreSQL's jsonb gives 1e308 back as an integer this long.
MAX_DIGITS = 309
# In one JSON text or result. A value costs every reader some microseconds, and a
# megabyte holds half a million; each member and each list or object counts.
MAX_VALUES = 100_000
_SHOWN_PATH = 200

Steps = Sequence[str | int]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGER_LIMIT = 10**MAX_DIGITS


def check_storable(
    value: object, path: str = "", *, max_depth: int = MAX_DEPTH
) -> None:
    """UNSTORABLE_VALUE for the first value, in document order, that cannot be kept.

    Refused are NUL characters, lone surrogates, NaN and infinities, integers of more
    than 309 digits, keys that are no strings, nesting over `max_depth`, anything JSON
    has no word for, and more than 100,000 values. `path` is where `value` itself
    stands.
    """
    count = 0
    for steps, item in walk(value):
        container = isinstance(item, dict | list | tuple)
        count += 1 + container
        if container and len(steps) >= max_depth:
            raise refusal(f"Nested deeper than {max_depth} levels.", path, steps)
        if complaint := _complaint(item):
            raise refusal(complaint, path, steps)
        if count > MAX_VALUES:
            raise refusal(too_many(MAX_VALUES), path, ())


def too_many(limit: int) -> str:
    return f"There are more than {limit} values."


def walk(value: object) -> Iterator[tuple[Steps, object]]:
    """Every value inside `value` with the steps that lead there; parents come first.

    Without recursion, so that depth costs no stack; each step is taken on demand, so
    that a caller who stops early never meets the rest of a cycle. The steps are one
    list that changes from value to value: a copy for each would cost its depth.
    """
    steps: list[str | int] = []
    yield steps, value
    pending = [_members(value)]
    while pending:
        member = next(pending[-1], None)
        del steps[len(pending) - 1 :]
        if member is None:
            pending.pop()
            continue
        steps.append(member[0])
        yield steps, member[1]
        if isinstance(member[1], dict | list | tuple):
            pending.append(_members(member[1]))


def _members(value: object) -> Iterator[tuple[str | int, object]]:
    if isinstance(value, dict):
        return iter(value.items())
    return enumerate(value) if isinstance(value, list | tuple) else iter(())


def refusal(
    message: str, path: str, steps: Steps, code: Code = Code.UNSTORABLE_VALUE
) -> SynapseError:
    """An error whose details name the field."""
    return SynapseError(code, message, details={"path": show_path(path, steps)})


def show_path(path: str, steps: Steps) -> str:
    """`payload.items[3].name`: printable and short, whatever the keys contain."""
    # Cut first: a key can be a megabyte.
    parts = (
        f"[{step}]" if isinstance(step, int) else f".{str(step)[:_SHOWN_PATH]}"
        for step in steps
    )
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
