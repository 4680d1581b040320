"""How much one peer may ask for. A peer that floods harms only itself.

Numbers that a peer may have at a time are refused with an error that passes; what no
waiting would cure is refused for good. How fast it may talk is `pace`.
"""

from agents_app.models import Agent
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MessageType
from tasks_app.changes import Snapshot
from tasks_app.models import Delivery, DeliveryKind, DeliveryState, Question, Task

# Of one task; 2 a second over the hour that an attempt may run at most by default.
MAX_MESSAGES = 10_000
# Of one task: each replaces the one before.
MAX_QUESTIONS = 500
# That wait for one peer, most of them in its mailbox.
MAX_WAITING = 10_000
# What a full house says about when to ask again, in seconds.
_LATER = 30
# All that says how a task ends is heard, however long it was.
_ENDS = frozenset(
    {MessageType.TASK_COMPLETE, MessageType.TASK_FAILED, MessageType.TASK_CANCEL}
)
_QUESTIONS = frozenset({MessageType.TASK_NEED_INFO, MessageType.TASK_NEED_HUMAN})
# These carry what people and programs hand over; all others are short.
_LARGE = frozenset(
    {
        MessageType.TASK_REQUEST,
        MessageType.TASK_COMPLETE,
        MessageType.TASK_REJECT,
        MessageType.TASK_FAILED,
        MessageType.TASK_NEED_INFO,
        MessageType.TASK_INFO_PROVIDED,
        MessageType.TASK_NEED_HUMAN,
        MessageType.HUMAN_DECISION,
        MessageType.CAPABILITY_RESPONSE,
    }
)
MAX_SHORT_BYTES = 64 * 1024


def check_size(kind: MessageType, size: int) -> None:
    """BODY_TOO_LARGE for a long message of a type that has nothing long to say."""
    if kind not in _LARGE and size > MAX_SHORT_BYTES:
        raise SynapseError(
            Code.BODY_TOO_LARGE,
            details={"type": str(kind), "max_bytes": MAX_SHORT_BYTES},
        )


def check_room(peer: Agent, task_id: str) -> None:
    """QUOTA_EXCEEDED when the peer has as many unfinished tasks here as it may.

    Exact, since its requests take turns at its row. One that is here already is a
    repeat and needs no room.
    """
    # Not its key: whoever writes a message to this peer shares that at its commit, and
    # may hold what its next request waits for.
    held = Agent.objects.select_for_update(no_key=True).get(pk=peer.pk)
    its = Task.objects.filter(requester=peer.address, requester_task_id__isnull=False)
    if its.filter(requester_task_id=task_id).exists():
        return
    if its.filter(due_at__isnull=False)[: held.max_open].count() >= held.max_open:
        raise SynapseError(
            Code.QUOTA_EXCEEDED,
            details={"max_open": held.max_open},
            retry_after=_LATER,
        )
    check_unread(peer)


def check_unread(peer: Agent) -> None:
    """QUOTA_EXCEEDED while too much waits for the peer: it has to take that first."""
    waiting = Delivery.objects.filter(
        peer=peer, kind=DeliveryKind.MESSAGE, state=DeliveryState.WAITING
    )
    if waiting[:MAX_WAITING].count() >= MAX_WAITING:
        raise SynapseError(
            Code.QUOTA_EXCEEDED,
            "Too many messages wait for you.",
            details={"max_waiting": MAX_WAITING},
            retry_after=_LATER,
        )


def check_talk(task: Snapshot, kind: MessageType) -> None:
    """TOO_MANY_MESSAGES, for good, when a task has had more than any needs."""
    if kind in _ENDS:
        return
    if task.generation >= MAX_MESSAGES:
        raise _too_many("max_messages", MAX_MESSAGES)
    if kind in _QUESTIONS:
        asked = Question.objects.filter(task_id=task.id)
        if asked[:MAX_QUESTIONS].count() >= MAX_QUESTIONS:
            raise _too_many("max_questions", MAX_QUESTIONS)


def _too_many(limit: str, number: int) -> SynapseError:
    return SynapseError(Code.TOO_MANY_MESSAGES, details={limit: number})
