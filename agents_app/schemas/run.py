"""What a schema that is held against a value, and all its parts, have in common."""

import json
from typing import Any

from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from agents_app.schemas.budget import Budget
from agents_app.schemas.patterns import Pattern


class BadReference(Exception):
    """It leads nowhere, or out of the schema."""


class Run:
    """One budget, one schema, and what is worked out once for it."""

    document: dict[str, Any]

    def __init__(self, budget: Budget) -> None:
        self.renew(budget)
        self._keys: dict[int, frozenset[str]] = {}
        self._targets: dict[str, Any] = {}

    def renew(self, budget: Budget) -> None:
        """Another one pays from now on."""
        self.spend = budget.spend
        self._budget = budget
        self._patterns: dict[str, Pattern] = {}

    def pattern(self, text: str) -> Pattern:
        """BadPattern, TooMuch."""
        if text not in self._patterns:
            self._patterns[text] = Pattern(text, self._budget)
        return self._patterns[text]

    def target(self, reference: str) -> Any:
        """What a `$ref` leads to, by JSON pointer (RFC 6901). BadReference."""
        if reference not in self._targets:
            self._targets[reference] = self._look_up(reference)
        return self._targets[reference]

    def _look_up(self, reference: str) -> Any:
        if reference != "#" and not reference.startswith("#/"):
            raise BadReference("must lead to a place in this schema: #/…")
        resource = DRAFT202012.create_resource(self.document)
        try:
            resolver = Registry().with_resource("", resource).resolver()
            return resolver.lookup(reference).contents
        except (Unresolvable, TypeError, ValueError) as missing:  # Also `#/title/x`.
            raise BadReference("leads nowhere") from missing

    def key(self, value: object) -> str:
        """`key_of`, paid."""
        key = key_of(value)
        self.spend(3 + len(key) // 50)
        return key

    def keys(self, choices: list[object]) -> frozenset[str]:
        """Those of an `enum`, which lives as long as this does."""
        known = self._keys.get(id(choices))
        if known is None:
            known = self._keys[id(choices)] = frozenset(map(self.key, choices))
        return known


def key_of(value: object) -> str:
    """Equal for equal values: 1 is 1.0 and never true.

    A text, because its hash is secret: thousands of numbers that fall into one slot
    of a set are easy to find.
    """
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
