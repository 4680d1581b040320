"""The state machine of a task as data (A2A chapter 4; design §4).

Nothing else lists states. The ledger asks `next_state` before it writes a row.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType

from agents_app.protocol.errors import Code, SynapseError


class TaskState(StrEnum):
    """The fourteen states of A2A 4.1, in its order."""

    IDLE = "idle"  # Stored, not yet sent to an executor.
    PENDING = "pending"  # Sent; nobody has accepted it.
    CONFIRMED = "confirmed"  # An executor accepted it.
    EXECUTING = "executing"  # Being worked on.
    INFO_NEEDED = "info_needed"  # Waits for facts from the requester.
    INFO_PROVIDED = "info_provided"  # The facts are there; waits for the executor.
    NEED_HUMAN = "need_human"  # Waits for a person; nobody has claimed it.
    HUMAN_DECIDING = "human_deciding"  # A person has claimed the decision.
    HUMAN_APPROVED = "human_approved"  # Approved, selected or modified by a person.
    HUMAN_REJECTED = "human_rejected"  # Declined by a person; the executor goes on.
    COMPLETED = "completed"  # Ended with a result.
    FAILED = "failed"  # Ended with an error.
    CANCELLED = "cancelled"  # Ended by the requester.
    REJECTED = "rejected"  # Ended because the executor declined it.


class PublicStatus(StrEnum):
    """The five states a P2A caller sees (P2A chapter 4)."""

    RECEIVED = "received"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Move(StrEnum):
    """What happened to a task: a message, or a step at the desk."""

    REQUEST = "request"
    CONFIRM = "confirm"
    REJECT = "reject"
    EXECUTING = "executing"
    NEED_INFO = "need_info"
    INFO_COMPLETE = "info_complete"
    INFO_PARTIAL = "info_partial"
    NEED_HUMAN = "need_human"
    CLAIM = "claim"
    RELEASE = "release"
    APPROVE = "approve"  # The decisions approve, select and modify.
    DECLINE = "decline"  # The decision reject.
    COMPLETE = "complete"
    FAIL = "fail"
    CANCEL = "cancel"


Arrows = Mapping[TaskState, TaskState]
_S = TaskState

TERMINAL = frozenset({_S.COMPLETED, _S.FAILED, _S.CANCELLED, _S.REJECTED})
# In an order: an index and the query that is to find it spell it out alike.
UNSUCCESSFUL = (_S.FAILED, _S.REJECTED, _S.CANCELLED)
LIVE = frozenset(TaskState) - TERMINAL
WAITING = frozenset({_S.INFO_NEEDED, _S.NEED_HUMAN, _S.HUMAN_DECIDING})
"""A question is open in these."""

_WITH_EXECUTOR = LIVE - {_S.IDLE}
_ASKING_A_PERSON = frozenset({_S.NEED_HUMAN, _S.HUMAN_DECIDING})


def _arrows(sources: Iterable[TaskState], target: TaskState) -> Arrows:
    return MappingProxyType(dict.fromkeys(sources, target))


TRANSITIONS: Mapping[Move, Arrows] = MappingProxyType(
    {
        Move.REQUEST: _arrows({_S.IDLE}, _S.PENDING),
        # A repeated confirm is a harmless synonym.
        Move.CONFIRM: _arrows({_S.PENDING, _S.CONFIRMED}, _S.CONFIRMED),
        Move.REJECT: _arrows({_S.PENDING}, _S.REJECTED),
        # Going on or asking anew withdraws or replaces an open question.
        Move.EXECUTING: _arrows(_WITH_EXECUTOR, _S.EXECUTING),
        Move.NEED_INFO: _arrows(_WITH_EXECUTOR, _S.INFO_NEEDED),
        Move.INFO_COMPLETE: _arrows({_S.INFO_NEEDED}, _S.INFO_PROVIDED),
        Move.INFO_PARTIAL: _arrows({_S.INFO_NEEDED}, _S.INFO_NEEDED),
        Move.NEED_HUMAN: _arrows(_WITH_EXECUTOR, _S.NEED_HUMAN),
        Move.CLAIM: _arrows({_S.NEED_HUMAN}, _S.HUMAN_DECIDING),
        Move.RELEASE: _arrows({_S.HUMAN_DECIDING}, _S.NEED_HUMAN),
        Move.APPROVE: _arrows(_ASKING_A_PERSON, _S.HUMAN_APPROVED),
        Move.DECLINE: _arrows(_ASKING_A_PERSON, _S.HUMAN_REJECTED),
        Move.COMPLETE: _arrows(_WITH_EXECUTOR, _S.COMPLETED),
        Move.FAIL: _arrows(LIVE, _S.FAILED),
        Move.CANCEL: _arrows(LIVE, _S.CANCELLED),
    }
)

IMPLIES_CONFIRM = frozenset(
    {Move.EXECUTING, Move.NEED_INFO, Move.NEED_HUMAN, Move.COMPLETE}
)
"""From `pending` these also say that the executor accepted (A2A 5.2 and 5.3 skip it).

FAIL is legal there on its own: we also fail a task that no executor ever took.
"""

_PUBLIC: Mapping[TaskState, PublicStatus] = {
    _S.IDLE: PublicStatus.RECEIVED,
    _S.PENDING: PublicStatus.RECEIVED,
    _S.COMPLETED: PublicStatus.COMPLETED,
    _S.FAILED: PublicStatus.FAILED,
    _S.REJECTED: PublicStatus.FAILED,
    _S.CANCELLED: PublicStatus.CANCELLED,
}


def public_status(state: TaskState) -> PublicStatus:
    """What a P2A caller sees of `state` (P2A chapter 4); defined for all fourteen."""
    return _PUBLIC.get(state, PublicStatus.PROCESSING)


def next_state(state: TaskState, move: Move) -> TaskState:
    """Where `move` leads from `state`.

    TASK_ENDED when the task is over, ILLEGAL_TRANSITION when the table has no arrow.
    """
    target = TRANSITIONS[move].get(state)
    if target is not None:
        return target
    code = Code.TASK_ENDED if state in TERMINAL else Code.ILLEGAL_TRANSITION
    raise SynapseError(code, details={"state": str(state), "move": str(move)})
