"""What a handler did before it was interrupted: the memory of durable execution.

The runner loads the entries, `Context` replays them: the n-th call of a run gets the
n-th entry back. `Recorded` moves values in and out of the JSON that is stored.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict, PydanticSchemaGenerationError, TypeAdapter

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.jsontext import dumps

R = TypeVar("R")

_KEEP_NAN = ConfigDict(ser_json_inf_nan="constants")


class JournalKind(StrEnum):
    STEP = "step"  # Value: what the step returned.
    INFO = "info"  # Value: the provided_info object of A2A 6.8.
    HUMAN = "human"  # Value: decision and decided_by of A2A 6.10, in one object.


@dataclass(frozen=True, kw_only=True, slots=True)
class JournalEntry:
    """One finished call: its number in the run, what it was, and its JSON value.

    The names of questions are `info_name` and `HUMAN_NAME`.
    """

    position: int
    kind: JournalKind
    name: str
    value: object


# Of a human entry: there is one way to ask.
HUMAN_NAME = "level"


def info_name(fields: Iterable[str]) -> str:
    """The name of an info entry: what was asked for, in any order."""
    return ",".join(sorted(fields))


class Journal:
    """A cursor over the entries. Calls are numbered 0, 1, 2… as they come."""

    def __init__(self, entries: Iterable[JournalEntry] = ()) -> None:
        self._entries = {entry.position: entry for entry in entries}
        self._next = 0

    def advance(self, kind: JournalKind, name: str) -> tuple[int, JournalEntry | None]:
        """Number this call and return its entry, None when it is news.

        JOURNAL_MISMATCH when the entry was written by another call: the handler has
        changed, or it does not take the same path twice.
        """
        position, self._next = self._next, self._next + 1
        entry = self._entries.get(position)
        if entry is not None and (entry.kind, entry.name) != (kind, name):
            raise mismatch(entry, found={"kind": str(kind), "name": name})
        return position, entry

    def check_finished(self) -> None:
        """A run that ends must have come by every entry, or an answer went unheard."""
        left = [entry for at, entry in self._entries.items() if at >= self._next]
        if left:
            raise mismatch(min(left, key=lambda entry: entry.position), found=None)


def mismatch(expected: JournalEntry, found: object) -> SynapseError:
    wanted = {"kind": str(expected.kind), "name": expected.name}
    details = {"position": expected.position, "expected": wanted, "found": found}
    return SynapseError(Code.JOURNAL_MISMATCH, details=details)


class Recorded(Generic[R]):
    """How one function's return value is written to the journal and read back.

    The type is the function's return annotation, so models, dataclasses, dates and
    Decimals come back as what they were. Without one, plain JSON comes back.
    """

    def __init__(self, function: Callable[..., R]) -> None:
        annotation = _return_annotation(function)
        # Untyped NaN would silently become null; models and such bring their own rules.
        config = _KEEP_NAN if annotation is Any else None
        try:
            self._adapter: TypeAdapter[R] = TypeAdapter(annotation, config=config)
        except PydanticSchemaGenerationError as unknown:
            raise TypeError(f"{annotation!r} cannot be kept in a journal") from unknown

    def to_json(self, value: R) -> object:
        # A wrong type is an error, not a warning: it would come back as another one.
        return self._adapter.dump_python(value, mode="json", warnings="error")

    def restore(self, value: object) -> R:
        return self._adapter.validate_json(dumps(value))


def _return_annotation(function: Callable[..., object]) -> Any:
    """Any: a type found at run time has no static type."""
    if inspect.isclass(function):
        return function
    try:
        annotation = inspect.signature(function, eval_str=True).return_annotation
    except (TypeError, ValueError):  # Some builtins have no signature.
        return Any
    return Any if annotation is inspect.Signature.empty else annotation
