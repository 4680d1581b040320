"""One schema held against one value, and what is found on the way.

Each keyword has a judge (`applicators`, `assertions`). Without complaints to collect
only the verdict counts, and the first refusal ends it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents_app.schemas.budget import Budget, TooMuch
from agents_app.schemas.complaints import Complaints, Path
from agents_app.schemas.equality import key_of, size_of
from agents_app.schemas.patterns import Pattern
from agents_app.schemas.references import look_up

# Of schemas inside each other, for a value and those within it. Each takes four frames
# of Python's stack, which ends at a thousand.
MAX_DEPTH = 120


class Place:
    """A schema at a value; `seen` are the members that some keyword looked at."""

    __slots__ = ("complaints", "path", "schema", "seen", "valid", "value")

    def __init__(
        self,
        schema: Mapping[str, Any],
        value: object,
        path: Path,
        complaints: Complaints | None,
    ) -> None:
        self.schema = schema
        self.value = value
        self.path = path
        self.complaints = complaints
        self.valid = True
        self.seen: set[str | int] = set()

    @property
    def decided(self) -> bool:
        """Nothing that follows can matter."""
        return not self.valid and self.complaints is None

    def refuse(self, text: str) -> None:
        """The value does not fit. Enough when no more is to be told."""
        self.valid = False
        if self.complaints is not None:
            self.complaints.add(self.path, text)


# Any: `checking` looked at the schema, so each judge knows what stands there.
Judge = Callable[["Holding", Place, Any], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """What each keyword means. The late ones are about what no other looked at."""

    first: Mapping[str, Judge]
    late: Mapping[str, Judge]


class Holding:
    """All that happens for one value of a caller."""

    def __init__(
        self, root: Mapping[str, object], budget: Budget, judges: Judges
    ) -> None:
        self.budget = budget
        self._root = root
        self._judges = judges
        self._depth = 0
        self._patterns: dict[str, Pattern] = {}
        self._targets: dict[str, Any] = {}
        self._keys: dict[int, frozenset[str]] = {}

    def hold(
        self, schema: Any, value: object, path: Path, complaints: Complaints | None
    ) -> Place:
        """Hold a schema against a value. TooMuch, Enough."""
        if isinstance(schema, bool):
            place = Place({}, value, path, complaints)
            if not schema:
                place.refuse("is not expected here")
            return place
        if self._depth == MAX_DEPTH:
            raise TooMuch
        self._depth += 1
        try:
            place = Place(schema, value, path, complaints)
            self._judge(place)
            return place
        finally:
            self._depth -= 1

    def join(self, place: Place, schema: Any) -> None:
        """The value must fit this one, too."""
        inner = self.hold(schema, place.value, place.path, place.complaints)
        if inner.valid:
            place.seen |= inner.seen
        else:
            place.valid = False

    def member(self, place: Place, step: str | int, schema: Any) -> None:
        """A member of the value must fit."""
        value = place.value[step]  # type: ignore[index] # An object or a list.
        place.seen.add(step)
        inner = self.hold(schema, value, (*place.path, step), place.complaints)
        place.valid &= inner.valid

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern occurs in a text."""
        compiled = self._patterns.get(pattern)
        if compiled is None:
            compiled = self._patterns[pattern] = Pattern(pattern, self.budget)
        return compiled.matches(text)

    def target(self, reference: str) -> Any:
        """What a `$ref` leads to."""
        if reference not in self._targets:
            self._targets[reference] = look_up(self._root, reference)
        return self._targets[reference]

    def key(self, value: object) -> str:
        """Equal for equal values."""
        self.budget.spend(size_of(value))
        return key_of(value)

    def keys(self, choices: list[object]) -> frozenset[str]:
        """Those of an `enum`, made once."""
        known = self._keys.get(id(choices))
        if known is None:
            known = self._keys[id(choices)] = frozenset(map(self.key, choices))
        return known

    def _judge(self, place: Place) -> None:
        self.budget.spend(1 + len(place.schema) // 8)
        for keyword, argument in place.schema.items():
            judge = self._judges.first.get(keyword)
            if judge is not None:
                self.budget.spend(1)
                judge(self, place, argument)
                if place.decided:
                    return
        for keyword, judge in self._judges.late.items():
            if keyword in place.schema and not place.decided:
                judge(self, place, place.schema[keyword])
