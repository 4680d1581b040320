"""Two nodes must tell the same history of a task that passed between them.

the asker's log ─┐
                 ├─ the same messages, under the same ids, and one end
the doer's log ──┘
"""

from collections.abc import Iterator

from agents_app.protocol.messages import MessageType
from agents_app.protocol.states import TaskState
from tests.journeys import history
from tests.journeys.history import (
    ENDING,
    History,
    attempts_do_not_overlap,
    every_accepted_task_ends,
    one_message_ends_it,
    read,
)
from tests.stack import Stack, eventually
from tests.stack.ledger import TaskRow, WireRow

SETTLE_SECONDS = 60.0
_COMPARED = {
    MessageType.TASK_REQUEST: ("task_id", "task_type", "payload"),
    MessageType.TASK_INFO_PROVIDED: ("task_id", "request_id", "provided_info"),
}


def check(asker: Stack, doer: Stack) -> None:
    """Wait until nothing is on its way any more; then every task is the same."""

    def quiet() -> bool:
        return not (asker.ledger.unsent() or doer.ledger.unsent())

    eventually(quiet, SETTLE_SECONDS, lambda: _unsent(asker, doer), interval=0.2)
    found = list(breaches(asker, doer))
    assert not found, "\n".join(found)


def breaches(asker: Stack, doer: Stack) -> Iterator[str]:
    """Of the tasks that callers of `asker` were promised and that `doer` has."""
    done = doer.ledger.tasks_of(asker.address)
    asked = read(asker.replies, asker.ledger)
    for task in asked.tasks:
        if task.id in done:
            yield from _differences(asker, task, doer, done[task.id])
    yield from _of_doer(
        doer, [done[task.id] for task in asked.tasks if task.id in done]
    )


def check_taken_back(asker: Stack, task_id: str) -> None:
    """Of a task that an agent was relieved of: each was told so, and one end came."""
    eventually(lambda: not asker.ledger.unsent(), SETTLE_SECONDS, "it hears of it")
    ends = [row.type for row in asker.ledger.messages(task_id) if row.type in ENDING]
    *cancels, _ = ends
    assert cancels == [MessageType.TASK_CANCEL], ends
    # All the other rules; to I2 a cancel is an end.
    seen = read(asker.replies, asker.ledger)
    others = [text for text in history.breaches(seen) if not text.startswith("I2")]
    assert others == []


def _of_doer(doer: Stack, tasks: list[TaskRow]) -> Iterator[str]:
    """The rules that need no caller."""
    mine = {task.id for task in tasks}
    seen = History(
        replies=(),
        tasks=tasks,
        messages=[row for row in doer.ledger.messages() if row.task_id in mine],
        attempts=[row for row in doer.ledger.attempts() if row.task_id in mine],
    )
    for rule in (
        every_accepted_task_ends,
        one_message_ends_it,
        attempts_do_not_overlap,
    ):
        yield from rule(seen)


def _differences(
    asker: Stack, asked: TaskRow, doer: Stack, done: TaskRow
) -> Iterator[str]:
    if asked.state != done.state:
        yield f"{asked.id} is {asked.state} here and {done.state} there"
    here = asker.ledger.wire(asked.id, doer.address)
    there = doer.ledger.wire(done.id, asker.address)
    late = _crossed(asker, asked, doer)
    for message_id in (here.keys() ^ there.keys()) - late:
        one = here.get(message_id) or there[message_id]
        yield f"{asked.id}: {one.type} is in the log of one side only"
    for message_id in here.keys() & there.keys():
        if _said(here[message_id]) != _said(there[message_id]):
            yield f"{asked.id}: {here[message_id]} is {there[message_id]} there"
    ends = [row.type for row in there.values() if row.type in ENDING]
    if len(ends) != 1:
        yield f"{asked.id} ended with {ends}"


def _crossed(asker: Stack, asked: TaskRow, doer: Stack) -> set[str]:
    """Messages without effect: only a task that was taken back has any."""
    if asked.state != TaskState.CANCELLED:
        return set()
    return asker.ledger.undelivered() | doer.ledger.undelivered()


def _said(row: WireRow) -> tuple[object, ...]:
    """The doer keeps files under ids of its own, and may say more than it was told."""
    said = row.payload
    if names := _COMPARED.get(row.type):
        said = {name: said[name] for name in names}
    return row.type, row.in_reply_to, said


def _unsent(asker: Stack, doer: Stack) -> str:
    return f"{asker.ledger.unsent()} here, {doer.ledger.unsent()} there"
