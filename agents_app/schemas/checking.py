"""Whether something is a schema that values can be held against, and that ends."""

from collections.abc import Iterator, Mapping

from agents_app.schemas import shapes
from agents_app.schemas.budget import Budget
from agents_app.schemas.complaints import shown
from agents_app.schemas.patterns import BadPattern, Pattern
from agents_app.schemas.references import BadReference, look_up


class Broken(Exception):
    """Where it is broken and how: `$.items.type: must be …`."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{shown(path, 200)}: {text}")


def check(root: object, budget: Budget) -> None:
    """Broken, TooMuch."""
    checked: dict[int, _Part] = {}
    pending = [_Part("$", root)]
    while pending:
        part = pending.pop()
        if isinstance(part.schema, bool) or id(part.schema) in checked:
            continue
        checked[id(part.schema)] = part
        pending.extend(part.check(root, budget))
    _check_ends(checked)


class _Part:
    """One schema inside the schema; `beside` are those that apply where it does."""

    __slots__ = ("beside", "path", "schema")

    def __init__(self, path: str, schema: object) -> None:
        self.path = path
        self.schema = schema
        self.beside: list[int] = []

    def check(self, root: object, budget: Budget) -> Iterator["_Part"]:
        if not isinstance(self.schema, Mapping):
            raise Broken(self.path, "must be a schema")
        budget.spend(2 + len(self.schema))
        for keyword, argument in self.schema.items():
            where = f"{self.path}.{keyword}"
            budget.spend(len(argument) if isinstance(argument, list | dict) else 1)
            if text := shapes.complaint(keyword, argument):
                raise Broken(where, text)
            if keyword == "$id" and self.schema is not root:
                raise Broken(where, "may only stand at the top")
            self._check_patterns(where, keyword, argument, budget)
            yield from self._parts(root, where, keyword, argument)

    def _parts(
        self, root: object, where: str, keyword: str, argument: object
    ) -> Iterator["_Part"]:
        for steps, schema in shapes.parts(keyword, argument):
            if keyword in shapes.IN_PLACE:
                self.beside.append(id(schema))
            yield _Part(where + steps, schema)
        if keyword == "$ref":
            target = _follow(root, where, str(argument))
            self.beside.append(id(target))
            yield _Part(where, target)

    def _check_patterns(
        self, where: str, keyword: str, argument: object, budget: Budget
    ) -> None:
        texts: Iterator[str] = iter(())
        if keyword == "pattern":
            texts = iter((str(argument),))
        elif keyword == "patternProperties" and isinstance(argument, Mapping):
            texts = iter(argument)
        for text in texts:
            try:
                Pattern(text, budget)
            except BadPattern as refused:
                raise Broken(where, f"{shown(text)} {refused}") from refused


def _follow(root: object, where: str, reference: str) -> object:
    try:
        return look_up(root, reference)
    except BadReference as refused:
        raise Broken(where, f"{shown(reference)} {refused}") from refused


def _check_ends(parts: Mapping[int, _Part]) -> None:
    """Take away those that lead to nothing more; a circle is what stays."""
    waits = {at: {b for b in part.beside if b in parts} for at, part in parts.items()}
    leads_to: dict[int, list[int]] = {at: [] for at in parts}
    for at, targets in waits.items():
        for target in targets:
            leads_to[target].append(at)
    done = [at for at, targets in waits.items() if not targets]
    for at in done:  # It grows meanwhile.
        for before in leads_to[at]:
            waits[before].discard(at)
            if not waits[before]:
                done.append(before)
    if len(done) < len(parts):
        circle = next(part for at, part in parts.items() if waits[at])
        raise Broken(circle.path, "refers to itself without end")
