"""JSON text in and out: strict, quick on ordinary bodies, no way to break the stack.

Under every door. The standard C scanner does the parsing; the slow walk that finds the
offending field runs only when something about the text is suspicious.
"""

import json
import re
from collections import Counter
from math import isfinite
from typing import NoReturn

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.storable import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_VALUES,
    check_storable,
    refusal,
    too_many,
    walk,
)

__all__ = ["check_storable", "dumps", "loads"]

# `bytes.translate` is by far the quickest way to keep a few characters of many.
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_PAIR = re.compile(r"\\ud[89ab]..\\ud[c-f]..", re.IGNORECASE)
_ODD_ESCAPE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)


class _Repeated(dict[str, object]):
    """An object in which a key came twice."""

    key: str


class _Reader:
    """The scanner's hooks. They cannot know the path, so they only note suspicion."""

    def __init__(self) -> None:
        self.suspicious = False
        self.repeats = False

    def pairs(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        unique = dict(pairs)
        if len(unique) == len(pairs):
            return unique
        self.repeats = True
        repeated = _Repeated(unique)
        repeated.key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        return repeated

    def real(self, text: str) -> float:
        number = float(text)  # Also NaN and Infinity, which the scanner lets through.
        self.suspicious |= not isfinite(number)
        return number

    def integer(self, text: str) -> int:
        self.suspicious |= len(text) > MAX_DIGITS
        return int(text[: MAX_DIGITS + 2])  # Still too long, and cheap to convert.


def loads(
    raw: bytes | str, *, max_depth: int = MAX_DEPTH, max_values: int = MAX_VALUES
) -> object:
    """Read one JSON text (RFC 8259, without its looser corners).

    MALFORMED_JSON: bad UTF-8, a byte order mark, bad syntax, a repeated key.
    UNSTORABLE_VALUE: see `check_storable`. Details name the `path` where there is one.
    """
    text = _decode(raw)
    _check_size(text, max_depth, max_values)
    reader = _Reader()
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=reader.pairs,
            parse_float=reader.real,
            parse_int=reader.integer,
            parse_constant=reader.real,
        )
    except json.JSONDecodeError as refused:
        _refuse_syntax(refused)
    if reader.repeats:
        _check_repeated(value)
    if reader.suspicious or _odd_text(text):
        check_storable(value, max_depth=max_depth)
    return value


def _check_size(text: str, max_depth: int, max_values: int) -> None:
    """Before parsing. Optimization: most texts are small or plain at a glance."""
    opened = text.count("[") + text.count("{")
    if opened <= max_depth and opened + text.count(",") <= max_values:
        return
    outside = _outside_strings(text)
    if sum(outside.count(mark) for mark in (b"[", b"{", b",")) > max_values:
        raise refusal(too_many(max_values), "", ())
    if _too_deep(outside, max_depth):
        raise refusal(f"Nested deeper than {max_depth} levels.", "", ())


def dumps(value: object) -> bytes:
    """Compact UTF-8 JSON. UNSTORABLE_VALUE for what `loads` would not take back."""
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        return text.encode()
    except (TypeError, ValueError, RecursionError):
        check_storable(value)
        raise


def _decode(raw: bytes | str) -> str:
    try:
        text = raw if isinstance(raw, str) else raw.decode()
    except UnicodeDecodeError as refused:
        raise SynapseError(
            Code.MALFORMED_JSON,
            "The body is not UTF-8.",
            details={"position": refused.start},
        ) from refused
    if text.startswith("\ufeff"):
        raise SynapseError(Code.MALFORMED_JSON, "A byte order mark is not JSON.")
    return text


def _outside_strings(text: str) -> bytes:
    """What stands between the strings: every second piece between quotes."""
    plain = text.replace("\\\\", "").replace('\\"', "")
    return "".join(plain.split('"')[::2]).encode(errors="replace")


def _too_deep(outside: bytes, max_depth: int) -> bool:
    """Whether brackets nest deeper, told by peeling them from the inside.

    Each round removes one level at the speed of `bytes.replace`.
    """
    brackets = outside.translate(_ONE_KIND, _NO_BRACKETS)
    for _ in range(max_depth):
        peeled = brackets.replace(b"[]", b"")
        if len(peeled) == len(brackets):
            break
        brackets = peeled
    return b"[]" in brackets or brackets.count(b"[") > max_depth


def _odd_text(text: str) -> bool:
    """Whether a lone surrogate or a NUL may be in it. Emoji are pairs, and fine."""
    if "\\u" in text and _ODD_ESCAPE.search(text):
        # A backslash that is escaped begins no escape.
        escapes = _PAIR.sub(" ", text.replace("\\\\", "  "))
        if _ODD_ESCAPE.search(escapes):
            return True
    return not text.isascii() and not _encodable(text)


def _encodable(text: str) -> bool:
    """False for raw lone surrogates, which only text that never was bytes can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_repeated(value: object) -> None:
    for steps, item in walk(value):
        if isinstance(item, _Repeated):
            where = (*steps, item.key)
            raise refusal("A key comes twice.", "", where, Code.MALFORMED_JSON)


def _refuse_syntax(refused: json.JSONDecodeError) -> NoReturn:
    raise SynapseError(
        Code.MALFORMED_JSON,
        f"{refused.msg}: line {refused.lineno} column {refused.colno}.",
        details={"line": refused.lineno, "column": refused.colno},
    ) from refused
