"""JSON for reading: a tree of labels and texts that a template walks.

Everything in it is foreign, so everything stays text. A value may be large; what is
beyond the limits is left out and the tree says so.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks_app.admin.names import legible

MAX_NODES = 2_000
MAX_CHARACTERS = 20_000
# Of all texts and keys of a tree together; one text may be as long as above.
MAX_CHARACTERS_IN_ALL = 200_000
_MAX_KEY = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One value. `kind` is object, list, text, number, boolean, null or cut."""

    key: str
    label: str
    kind: str
    text: str = ""
    children: tuple["Node", ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether it needs a line of its own."""
        return len(self.text) > 80 or "\n" in self.text


@dataclass(slots=True)
class _Budget:
    nodes: int
    characters: int

    def cut(self, text: str, limit: int = MAX_CHARACTERS) -> str:
        """As much of it as there is room for, and how long it really is."""
        room = max(0, min(limit, self.characters))
        self.characters -= min(len(text), room)
        if len(text) <= room:
            return legible(text)
        return f"{legible(text[:room])}… ({len(text)} characters in all)"

    @property
    def spent(self) -> bool:
        return self.nodes <= 0 or self.characters <= 0


def tree(
    value: object,
    *,
    max_nodes: int = MAX_NODES,
    max_characters: int = MAX_CHARACTERS_IN_ALL,
) -> Node:
    """The whole value under an empty label, as far as the limits allow."""
    return _node("", value, _Budget(max_nodes, max_characters))


def label_of(key: str) -> str:
    """`invoice_number` → `Invoice number`."""
    words = key.replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else key


def one_line(value: object, limit: int = 140) -> str:
    """Any value as a short text without line breaks."""
    text = value if isinstance(value, str) else plain(value)
    text = legible(" ".join(text.split()))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def plain(value: object) -> str:
    """A value as JSON text."""
    return json.dumps(value, ensure_ascii=False)


def _node(key: str, value: object, budget: _Budget) -> Node:
    budget.nodes -= 1
    key = budget.cut(key, _MAX_KEY)
    label = label_of(key)
    match value:
        case Mapping():
            items = ((str(name), inner) for name, inner in value.items())
            children = tuple(_children(items, budget))
            return Node(key=key, label=label, kind="object", children=children)
        case list() | tuple():
            children = tuple(_children(_numbered(value), budget))
            return Node(key=key, label=label, kind="list", children=children)
        case str():
            return Node(key=key, label=label, kind="text", text=budget.cut(value))
        case None:
            return Node(key=key, label=label, kind="null", text="none")
        case bool():
            text = "yes" if value else "no"
            return Node(key=key, label=label, kind="boolean", text=text)
        case _:
            return Node(
                key=key, label=label, kind="number", text=budget.cut(plain(value))
            )


def _children(items: Iterator[tuple[str, object]], budget: _Budget) -> Iterator[Node]:
    for key, value in items:
        if budget.spent:
            text = "The rest is left out here."
            yield Node(key="", label="", kind="cut", text=text)
            return
        yield _node(key, value, budget)


def _numbered(values: Sequence[object]) -> Iterator[tuple[str, object]]:
    return ((str(place), value) for place, value in enumerate(values, start=1))
