"""What ending a task means, by who asked for it and who does it: told before the click.

A task that an agent asked of us is not ours to cancel (A2A 3.1): it is stopped, so it
fails here, and that agent is told why.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tasks_app import lifecycle, outbox
from tasks_app.changes import Snapshot
from tasks_app.models import Task

# One of the verbs of `lifecycle`.
Ending = Callable[..., Snapshot]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What the buttons and the confirmation say, and what is said afterwards."""

    # On the button that leads to the confirmation.
    verb: str
    question: str
    text: str
    # On the one that does it.
    label: str
    # Who sees the reason.
    reader: str
    done: str


_OURS = Words(
    verb="Cancel",
    question="Cancel this task?",
    text="It ends at once: the attempt that runs is stopped, an open question "
    "closes, and the caller gets its callback.",
    label="Cancel the task",
    reader="The caller",
    done="Cancelled.",
)
_AT_A_PEER = replace(
    _OURS,
    text="It ends here at once and the caller gets its callback. The agent that "
    "works on it is told to stop; what it did until then stays done.",
)
_OF_A_PEER = Words(
    verb="Stop",
    question="Stop this task?",
    text="An agent asked for it, so it is not ours to cancel. It fails at once, the "
    "attempt that runs is stopped, and that agent is told.",
    label="Stop the task",
    reader="The agent that asked for it",
    done="Stopped. The agent that asked for it is told.",
)


def way_of(task: Task) -> tuple[Ending, Words]:
    """How an operator ends it: the verb of `lifecycle`, and its words."""
    policy = lifecycle.policy()
    if outbox.is_remote(task.requester, policy):
        return lifecycle.stop, _OF_A_PEER
    remote = outbox.is_remote(task.executor, policy)
    return lifecycle.cancel, _AT_A_PEER if remote else _OURS
