"""The seventeen message types: who sends each, what it carries, what it does to a task.

Between the payload classes below and the envelope above.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from agents_app.protocol import payloads
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import Move, TaskState


class MessageType(StrEnum):
    """A2A chapter 3, in its order."""

    TASK_REQUEST = "p2p:task_request"
    TASK_CONFIRM = "p2p:task_confirm"
    TASK_REJECT = "p2p:task_reject"
    TASK_STATUS_UPDATE = "p2p:task_status_update"
    TASK_COMPLETE = "p2p:task_complete"
    TASK_FAILED = "p2p:task_failed"
    TASK_CANCEL = "p2p:task_cancel"
    TASK_ACK = "p2p:task_ack"
    TASK_NEED_INFO = "p2p:task_need_info"
    TASK_INFO_PROVIDED = "p2p:task_info_provided"
    TASK_NEED_HUMAN = "p2p:task_need_human"
    HUMAN_DECISION = "p2p:human_decision"
    CAPABILITY_QUERY = "p2p:capability_query"
    CAPABILITY_RESPONSE = "p2p:capability_response"
    HEARTBEAT = "p2p:heartbeat"
    ACK = "p2p:ack"
    NACK = "p2p:nack"


class Side(StrEnum):
    """Who sends a message type (the directions of A2A chapter 3)."""

    REQUESTER = "requester"
    EXECUTOR = "executor"
    BOTH = "both"

    def admits(self, sender: "Side") -> bool:
        """Whether `sender`, one of the two sides, may send what this side sends."""
        return self in (Side.BOTH, sender)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSpec:
    """One line of A2A chapter 3. `move` is None where there is no fixed one."""

    payload: type[payloads.Payload]
    sender: Side
    move: Move | None = None


def _spec(
    payload: type[payloads.Payload], sender: Side, move: Move | None = None
) -> MessageSpec:
    return MessageSpec(payload=payload, sender=sender, move=move)


_M = MessageType

MESSAGES: Mapping[MessageType, MessageSpec] = MappingProxyType(
    {
        _M.TASK_REQUEST: _spec(payloads.TaskRequest, Side.REQUESTER, Move.REQUEST),
        _M.TASK_CONFIRM: _spec(payloads.TaskConfirm, Side.EXECUTOR, Move.CONFIRM),
        _M.TASK_REJECT: _spec(payloads.TaskReject, Side.EXECUTOR, Move.REJECT),
        _M.TASK_STATUS_UPDATE: _spec(payloads.TaskStatusUpdate, Side.EXECUTOR),
        _M.TASK_COMPLETE: _spec(payloads.TaskComplete, Side.EXECUTOR, Move.COMPLETE),
        _M.TASK_FAILED: _spec(payloads.TaskFailed, Side.EXECUTOR, Move.FAIL),
        _M.TASK_CANCEL: _spec(payloads.TaskCancel, Side.REQUESTER, Move.CANCEL),
        _M.TASK_ACK: _spec(payloads.TaskAck, Side.BOTH),
        _M.TASK_NEED_INFO: _spec(payloads.TaskNeedInfo, Side.EXECUTOR, Move.NEED_INFO),
        _M.TASK_INFO_PROVIDED: _spec(payloads.TaskInfoProvided, Side.REQUESTER),
        _M.TASK_NEED_HUMAN: _spec(
            payloads.TaskNeedHuman, Side.EXECUTOR, Move.NEED_HUMAN
        ),
        _M.HUMAN_DECISION: _spec(payloads.HumanDecision, Side.REQUESTER),
        _M.CAPABILITY_QUERY: _spec(payloads.CapabilityQuery, Side.BOTH),
        _M.CAPABILITY_RESPONSE: _spec(payloads.CapabilityResponse, Side.BOTH),
        _M.HEARTBEAT: _spec(payloads.Heartbeat, Side.BOTH),
        _M.ACK: _spec(payloads.Ack, Side.BOTH),
        _M.NACK: _spec(payloads.Nack, Side.BOTH),
    }
)

_TYPES: Mapping[type[payloads.Payload], MessageType] = {
    spec.payload: message_type for message_type, spec in MESSAGES.items()
}

# A status update may carry these two only: the other states have their own messages.
_UPDATES: Mapping[str, Move] = {
    TaskState.CONFIRMED: Move.CONFIRM,
    TaskState.EXECUTING: Move.EXECUTING,
}


def parse_type(text: str) -> MessageType:
    """UNKNOWN_MESSAGE_TYPE, with the list of known ones, for any other text."""
    try:
        return MessageType(text)
    except ValueError:
        known = [str(message_type) for message_type in MessageType]
        raise SynapseError(
            Code.UNKNOWN_MESSAGE_TYPE, details={"supported": known}
        ) from None


def parse_payload(
    message_type: MessageType, value: Mapping[str, object]
) -> payloads.Payload:
    """Read the payload of a message; INVALID_FIELD names the fields that do not fit."""
    return MESSAGES[message_type].payload.parse(value)


def type_of(payload: payloads.Payload) -> MessageType:
    """The message type that carries this payload."""
    return _TYPES[type(payload)]


def check_direction(message_type: MessageType, sender: Side) -> None:
    """WRONG_DIRECTION unless `sender` may send this type (A2A chapter 3)."""
    side = MESSAGES[message_type].sender
    if not side.admits(sender):
        raise SynapseError(
            Code.WRONG_DIRECTION,
            details={"type": str(message_type), "sent_by": str(side)},
        )


def move_of(payload: payloads.Payload, *, info_complete: bool = True) -> Move | None:
    """What a message does to its task; None when it does nothing to one.

    Only the ledger knows whether provided information is complete, so it says so.
    ILLEGAL_TRANSITION for a status update to a state with a message of its own.
    """
    match payload:
        case payloads.TaskStatusUpdate(status=status):
            return _move_of_update(status)
        case payloads.HumanDecision(decision=decision):
            return Move.APPROVE if decision.approved else Move.DECLINE
        case payloads.TaskInfoProvided():
            return Move.INFO_COMPLETE if info_complete else Move.INFO_PARTIAL
        case _:
            return MESSAGES[type_of(payload)].move


def _move_of_update(status: str) -> Move:
    if status not in _UPDATES:
        raise SynapseError(
            Code.ILLEGAL_TRANSITION,
            "A status update may only say confirmed or executing.",
            details={"status": status},
        )
    return _UPDATES[status]
