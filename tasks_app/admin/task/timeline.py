"""The message log of a task, told line by line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tasks_app.admin.tree import Node, one_line, tree
from tasks_app.admin.when import to_the_millisecond
from tasks_app.models import Message, Task

# A task that reports progress for hours has thousands; the last ones matter.
SHOWN = 200
_NODES_EACH = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    generation: int
    at: datetime
    clock: str
    type: str
    route: str
    headline: str
    payload: Node


def timeline(task: Task) -> tuple[list[Entry], int]:
    """The last messages in order, and how many older ones are not shown."""
    newest = Message.objects.filter(task=task).order_by("-generation")[:SHOWN]
    messages = list(reversed(newest))
    hidden = messages[0].generation - 1 if messages else 0
    return [_entry(message, task) for message in messages], hidden


def _entry(message: Message, task: Task) -> Entry:
    payload: Mapping[str, object] = message.payload
    shown = {key: value for key, value in payload.items() if key != "task_id"}
    names = {task.requester: f"caller {task.caller}"} if task.caller else {}
    route = [names.get(one, one) for one in (message.sender, message.recipient)]
    return Entry(
        generation=message.generation,
        at=message.created_at,
        clock=to_the_millisecond(message.created_at),
        type=message.type,
        route=" → ".join(route),
        headline=_headline(payload),
        payload=tree(shown, max_nodes=_NODES_EACH),
    )


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
