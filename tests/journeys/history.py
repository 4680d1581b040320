"""The history checker: can what everybody saw be explained by what Synapse promises?

The rules are I1 to I6 and I8 of the guarantees, over what callers were told, what
receivers got and what the rows say. Each yields a sentence per breach.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agents_app.protocol.states import TERMINAL, TaskState, public_status
from tests.receiver import Recorded
from tests.stack.client import Reply
from tests.stack.ledger import AttemptRow, DeliveryRow, Ledger, MessageRow, TaskRow

SUBMITS = ("/task", "/task/multipart")
ENDING = {
    "p2p:task_complete": {"completed"},
    "p2p:task_failed": {"failed"},
    "p2p:task_cancel": {"cancelled"},
    "p2p:task_reject": {"rejected"},
}
_RANK = {"received": 0, "processing": 1}
_LAST = 2


@dataclass(frozen=True, kw_only=True)
class History:
    """Of the tasks whose submit was acknowledged in `replies`; and only of those."""

    replies: Sequence[Reply]
    tasks: Sequence[TaskRow]
    messages: Sequence[MessageRow] = ()
    attempts: Sequence[AttemptRow] = ()
    deliveries: Sequence[DeliveryRow] = ()
    callbacks: Sequence[Recorded] = ()

    @property
    def accepted(self) -> set[str]:
        """Tasks that a caller was promised."""
        return {
            reply.task_id
            for reply in self.replies
            if reply.path in SUBMITS and reply.code < 300 and reply.task_id
        }


def read(
    replies: Sequence[Reply], ledger: Ledger, callbacks: Sequence[Recorded] = ()
) -> History:
    """The history of what these replies are about."""
    history = History(replies=list(replies), tasks=())
    mine = history.accepted
    return History(
        replies=history.replies,
        tasks=[row for row in ledger.tasks() if row.id in mine],
        messages=[row for row in ledger.messages() if row.task_id in mine],
        attempts=[row for row in ledger.attempts() if row.task_id in mine],
        deliveries=[row for row in ledger.deliveries() if row.task_id in mine],
        callbacks=[one for one in callbacks if one.json()["task_id"] in mine],
    )


def breaches(history: History) -> list[str]:
    """What cannot be explained; empty when all is well."""
    return [text for rule in RULES for text in rule(history)]


def every_accepted_task_ends(history: History) -> Iterator[str]:
    """I1, and it is there at all."""
    states = {task.id: task.state for task in history.tasks}
    for task_id in sorted(history.accepted):
        if states.get(task_id) not in TERMINAL:
            yield f"I1 {task_id} is {states.get(task_id, 'gone')}"


def one_message_ends_it(history: History) -> Iterator[str]:
    """I2, and it is the one the state tells of."""
    endings = defaultdict(list)
    for message in history.messages:
        if message.type in ENDING:
            endings[message.task_id].append(message.type)
    for task in history.tasks:
        found = endings[task.id]
        fits = [kind for kind in found if task.state in ENDING[kind]]
        if task.state in TERMINAL and (len(found) != 1 or not fits):
            yield f"I2 {task.id} is {task.state} after {found}"


def no_status_goes_back(history: History) -> Iterator[str]:
    """I3: whoever asks later is never told something earlier."""
    by_task = defaultdict(list)
    for reply in history.replies:
        if reply.task_id and reply.status and reply.code < 300:
            by_task[reply.task_id].append(reply)
    for task_id, replies in by_task.items():
        yield from _going_back(task_id, replies)


def _going_back(task_id: str, replies: Sequence[Reply]) -> Iterator[str]:
    told = sorted(replies, key=lambda reply: reply.answered_at)
    highest: Reply | None = None
    known = 0
    for reply in sorted(replies, key=lambda reply: reply.asked_at):
        while known < len(told) and told[known].answered_at < reply.asked_at:
            if highest is None or _rank(told[known]) > _rank(highest):
                highest = told[known]
            known += 1
        if highest is None:
            continue
        ended_otherwise = _rank(highest) == _LAST and reply.status != highest.status
        if _rank(reply) < _rank(highest) or ended_otherwise:
            yield f"I3 {task_id} was {highest.status} and then {reply.status}"


def _rank(reply: Reply) -> int:
    return _RANK.get(reply.status or "", _LAST)


def cancelled_means_cancelled(history: History) -> Iterator[str]:
    """I4: 200 to a cancel only if it ends cancelled, 409 only if it does not."""
    states = {task.id: task.state for task in history.tasks}
    for reply in history.replies:
        task_id = reply.path.removeprefix("/task/").removesuffix("/cancel")
        if not reply.path.endswith("/cancel") or task_id not in states:
            continue
        cancelled = states[task_id] == TaskState.CANCELLED
        if (reply.code == 200 and not cancelled) or (reply.code == 409 and cancelled):
            yield f"I4 {task_id} is {states[task_id]}; its cancel was told {reply.code}"


def one_callback_ends_it(history: History) -> Iterator[str]:
    """I5: one final callback in the outbox, and one id of it at the receiver."""
    for task in history.tasks:
        if task.callback_url is None or task.state not in TERMINAL:
            continue
        final = [d for d in history.deliveries if d.task_id == task.id and d.terminal]
        if len(final) != 1:
            yield f"I5 {task.id} has {len(final)} final callbacks"
        elif final[0].event != str(public_status(TaskState(task.state))):
            yield f"I5 {task.id} is {task.state}, its callback says {final[0].event}"
        elif final[0].state == "delivered" and history.callbacks:
            yield from _arrived(task, history.callbacks)


def _arrived(task: TaskRow, callbacks: Sequence[Recorded]) -> Iterator[str]:
    status = str(public_status(TaskState(task.state)))
    bodies = [(one, one.json()) for one in callbacks]
    ids = {
        one.headers["webhook-id"]
        for one, body in bodies
        if body["task_id"] == task.id and body["status"] == status
    }
    if len(ids) != 1:
        yield f"I5 {task.id}: {len(ids)} final callbacks arrived"


def attempts_do_not_overlap(history: History) -> Iterator[str]:
    """I6."""
    by_task = defaultdict(list)
    for attempt in history.attempts:
        by_task[attempt.task_id].append(attempt)
    for task_id, attempts in by_task.items():
        in_order = sorted(attempts, key=lambda attempt: attempt.number)
        for earlier, later in pairwise(in_order):
            if later.started_at < earlier.ended_at:
                yield f"I6 {task_id}: {later.number} began before the one before ended"


def no_server_error(history: History) -> Iterator[str]:
    """I8: busy is an answer, broken is not."""
    for reply in history.replies:
        if reply.code >= 500 and reply.code != 503:
            yield f"I8 {reply.method} {reply.path}: {reply.code}"


RULES = (
    every_accepted_task_ends,
    one_message_ends_it,
    no_status_goes_back,
    cancelled_means_cancelled,
    one_callback_ends_it,
    attempts_do_not_overlap,
    no_server_error,
)
