"""What was found wrong, by path: short, whatever keys and schemas contain."""

import json

Path = tuple[str | int, ...]

_SHOWN = 500
_SHOWN_PATH = 200


class Enough(Exception):
    """As many were found as are told."""


class Complaints:
    """The first text of each path, up to `limit` of them."""

    def __init__(self, limit: int = 20) -> None:
        self.texts: dict[str, str] = {}
        self._limit = limit

    def add(self, path: Path, text: str) -> None:
        """Enough when it was the last one."""
        self.texts.setdefault(join(path), text[:_SHOWN])
        if len(self.texts) >= self._limit:
            raise Enough


def join(path: Path) -> str:
    """`items.3.name`, printable and cut."""
    # Cut first: a key can be a megabyte.
    text = ".".join(str(step)[:_SHOWN_PATH] for step in path)[:_SHOWN_PATH]
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def shown(value: object, length: int = 100) -> str:
    """A value of the schema as it stands in a text."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= length else f"{text[:length]}…"


def listed(values: list[object]) -> str:
    """The first few of many."""
    few = ", ".join(shown(value) for value in values[:10])
    return few if len(values) <= 10 else f"{few} and {len(values) - 10} more"
