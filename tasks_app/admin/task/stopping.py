"""What ending a task means, by who asked for it and who does it: told before the click.

The verb is always `lifecycle.cancel`. A task that an agent asked of us is not ours to
cancel (A2A 3.1): it fails here, and that agent is told why.
"""

from collections.abc import Mapping

from tasks_app import lifecycle, outbox
from tasks_app.models import Task

_OURS = {
    "question": "Cancel this task?",
    "text": "It ends at once: the attempt that runs is stopped, an open question "
    "closes, and the caller gets its callback.",
    "label": "Cancel the task",
    "reads": "The caller",
    "done": "Cancelled.",
}
_AT_A_PEER = _OURS | {
    "text": "It ends here at once and the caller gets its callback. The agent that "
    "works on it is told to stop; what it did until then stays done.",
}
_OF_A_PEER = {
    "question": "Stop this task?",
    "text": "An agent asked for it, so it is not ours to cancel. It fails at once, the "
    "attempt that runs is stopped, and that agent is told.",
    "label": "Stop the task",
    "reads": "The agent that asked for it",
    "done": "Stopped. The agent that asked for it is told.",
}


def words_for(task: Task) -> Mapping[str, str]:
    """What the confirmation says, and what is said afterwards (`done`)."""
    policy = lifecycle.policy()
    if outbox.is_remote(task.requester, policy):
        return _OF_A_PEER
    return _AT_A_PEER if outbox.is_remote(task.executor, policy) else _OURS
