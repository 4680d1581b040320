"""The message log of a task, told line by line, a page at a time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast, Length

from tasks_app.admin.tree import Node, one_line, tree
from tasks_app.admin.when import to_the_millisecond
from tasks_app.models import Message, Task

# A task that reports progress for hours has thousands; the last ones matter.
SHOWN = 200
# Characters of JSON that are read at all for a line; more can only be downloaded.
MAX_PAYLOAD = 16_000
_NODES_EACH = 300
_CHARACTERS_EACH = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    generation: int
    at: datetime
    clock: str
    type: str
    route: str
    headline: str
    # None: too large to be read here.
    payload: Node | None
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """One page of the log, in order."""

    entries: tuple[Entry, ...]
    # How many messages are older than the first one here.
    older: int
    # Whether newer ones are on another page.
    cut: bool

    @property
    def first(self) -> int:
        """The generation before which the older ones are."""
        return self.entries[0].generation if self.entries else 0

    @property
    def last(self) -> int:
        """The generation of the newest one here."""
        return self.entries[-1].generation if self.entries else 0


def timeline(task: Task, before: int | None = None) -> Timeline:
    """The last messages, or the last ones before a generation."""
    found = Message.objects.filter(task=task)
    if before is not None:
        found = found.filter(generation__lt=before)
    messages = _without_payloads(found)
    payloads = _small_payloads(messages)
    names = {task.requester: f"caller {task.caller}"} if task.caller else {}
    return Timeline(
        entries=tuple(_entry(one, payloads.get(one.pk), names) for one in messages),
        older=messages[0].generation - 1 if messages else 0,
        cut=before is not None and before <= task.generation,
    )


def _without_payloads(found: QuerySet[Message]) -> list[Message]:
    """A page of them; together the payloads may be larger than the memory."""
    size = Length(Cast("payload", TextField()))
    newest = found.defer("payload").annotate(size=size).order_by("-generation")
    return list(reversed(newest[:SHOWN]))


def _small_payloads(messages: Iterable[Message]) -> dict[int, Mapping[str, object]]:
    small = [one.pk for one in messages if _size(one) <= MAX_PAYLOAD]
    found = Message.objects.filter(pk__in=small)
    return dict(found.values_list("pk", "payload"))


def _size(message: Message) -> int:
    """The annotation of `_without_payloads`."""
    return int(vars(message)["size"])


def _entry(
    message: Message, payload: Mapping[str, object] | None, names: Mapping[str, str]
) -> Entry:
    route = [names.get(one, one) for one in (message.sender, message.recipient)]
    return Entry(
        generation=message.generation,
        at=message.created_at,
        clock=to_the_millisecond(message.created_at),
        type=message.type,
        route=" → ".join(route),
        headline="" if payload is None else _headline(payload),
        payload=None if payload is None else _tree(payload),
        size=_size(message),
    )


def _tree(payload: Mapping[str, object]) -> Node:
    shown = {key: value for key, value in payload.items() if key != "task_id"}
    return tree(shown, max_nodes=_NODES_EACH, max_characters=_CHARACTERS_EACH)


def _headline(payload: Mapping[str, object]) -> str:
    """The words in it that say most, if there are any."""
    progress = payload.get("progress")
    parts: Sequence[object] = (
        f"{progress} %" if progress is not None else None,
        payload.get("message"),
        payload.get("summary"),
        _inside(payload.get("decision"), "action"),
        _inside(payload.get("decided_by"), "user_id"),
        _inside(payload.get("error"), "message"),
        _words(payload.get("reason")),
    )
    return one_line(" · ".join(part for part in parts if isinstance(part, str)))


def _words(reason: object) -> object:
    if isinstance(reason, Mapping):
        return reason.get("summary") or reason.get("message")
    return reason


def _inside(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, Mapping) else None
