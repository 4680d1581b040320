"""One frozen class per message type, fields exactly as in A2A chapter 6.

What we add is optional: `attachments`, the question's `request_id` and `version`,
`decision_schema`, `answer_within_s`. The shapes of ack, nack, task_ack, heartbeat and
the capability messages, which the seed leaves open, are decisions 22 to 25.
"""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from agents_app.protocol.model import Items, JsonObject, Name, Value
from agents_app.protocol.times import parse_rfc3339
from agents_app.protocol.values import (
    Action,
    Attachment,
    DecidedBy,
    Decision,
    ErrorObject,
    MissingField,
    Option,
    Priority,
    TaskTypeCapability,
)

__all__ = [
    "Ack",
    "Action",
    "Attachment",
    "CapabilityQuery",
    "CapabilityResponse",
    "DecidedBy",
    "Decision",
    "ErrorObject",
    "Heartbeat",
    "HumanDecision",
    "MissingField",
    "Nack",
    "Option",
    "Payload",
    "Priority",
    "TaskAck",
    "TaskCancel",
    "TaskComplete",
    "TaskConfirm",
    "TaskFailed",
    "TaskInfoProvided",
    "TaskNeedHuman",
    "TaskNeedInfo",
    "TaskReject",
    "TaskRequest",
    "TaskStatusUpdate",
    "TaskTypeCapability",
]

# Facts or options of one question: people answer it on one page.
MAX_ASKED = 200


def _empty(items: tuple[object, ...]) -> bool:
    return not items


class Payload(Value):
    """The `payload` of an envelope."""


class TaskPayload(Payload):
    """A payload about one task."""

    task_id: Name


class QuestionPayload(TaskPayload):
    """About one question: which one, and in which of its versions."""

    request_id: Name | None = None
    version: int | None = Field(default=None, ge=1)


class TaskRequest(TaskPayload):
    """A2A 6.1. The requester makes the `task_id`."""

    task_type: Name
    payload: JsonObject
    priority: Annotated[Priority, Field(strict=False)] = Priority.NORMAL
    transport_preferences: JsonObject | None = None
    attachments: Items[Attachment] = Field(default=(), exclude_if=_empty)


class TaskConfirm(TaskPayload):
    """A2A 6.2. `estimated_time` reads like "30s-2min"."""

    estimated_time: str | None = None


class TaskReject(TaskPayload):
    """A2A 6.3."""

    reason: ErrorObject


class TaskStatusUpdate(TaskPayload):
    """A2A 6.4. `status` is confirmed or executing, `progress` a percentage.

    `eta` is when the executor expects to be done, as RFC 3339.
    """

    status: Name
    progress: int | None = Field(default=None, ge=0, le=100)
    message: str | None = None
    eta: str | None = None

    @field_validator("eta")
    @classmethod
    def _is_a_time(cls, eta: str | None) -> str | None:
        if eta is not None:
            parse_rfc3339(eta)
        return eta


class TaskComplete(TaskPayload):
    """A2A 6.5."""

    result: JsonObject
    summary: str | None = None
    metadata: JsonObject | None = None
    attachments: Items[Attachment] = Field(default=(), exclude_if=_empty)


class TaskFailed(TaskPayload):
    """A2A 6.6."""

    error: ErrorObject


class TaskCancel(TaskPayload):
    """A2A 3.1 names it without fields; `reason` is ours, a free text."""

    reason: str | None = None


class TaskAck(TaskPayload):
    """The receiver acted on the end of a task; `acked_type` is the message it got."""

    acked_type: str


class TaskNeedInfo(QuestionPayload):
    """A2A 6.7. `answer_within_s` is how long the executor is ready to wait."""

    missing_fields: Items[MissingField] = Field(max_length=MAX_ASKED)
    reason: str
    answer_within_s: int | None = Field(default=None, ge=1)

    @field_validator("missing_fields")
    @classmethod
    def _some(cls, fields: tuple[MissingField, ...]) -> tuple[MissingField, ...]:
        # Not `min_length`: after a wrong item pydantic calls the list empty, too.
        if not fields:
            raise ValueError("at least one field is asked for")
        return fields


class TaskInfoProvided(QuestionPayload):
    """A2A 6.8."""

    provided_info: JsonObject


class TaskNeedHuman(QuestionPayload):
    """A2A 6.9. Level 1 is an operator, 2 a supervisor, 3 the owner.

    `decision_schema` is the JSON Schema of the value a `modify` decision brings.
    """

    escalation_level: int = Field(ge=1, le=3)
    reason: JsonObject
    options: Items[Option] = Field(default=(), max_length=MAX_ASKED, exclude_if=_empty)
    suggested_value: JsonObject | None = None
    decision_schema: JsonObject | None = None
    answer_within_s: int | None = Field(default=None, ge=1)

    @field_validator("options")
    @classmethod
    def _differ(cls, options: tuple[Option, ...]) -> tuple[Option, ...]:
        if len({option.id for option in options}) < len(options):
            raise ValueError("two options share an id")
        return options


class HumanDecision(QuestionPayload):
    """A2A 6.10."""

    decision: Decision
    decided_by: DecidedBy


class CapabilityQuery(Payload):
    """All task types, or those named. `etag` is that of an answer already known."""

    task_types: Items[str] | None = None
    etag: str | None = None


class CapabilityResponse(Payload):
    """The card of an agent (P2A 7.5). Sizes in bytes, durations in seconds."""

    agent_id: Name
    agent_name: str
    protocol_version: str
    supported_task_types: Items[TaskTypeCapability]
    supported_content_types: Items[str] = ()
    max_file_size: int | None = None
    max_concurrent_tasks: int | None = None
    max_task_duration: int | None = None
    support_progress_updates: bool = False
    support_streaming: bool = False
    support_hil: bool = False
    support_groups: bool = False
    etag: str | None = None


class Heartbeat(Payload):
    """Sent every 30 s. `active` of `capacity` places are taken."""

    agent_id: Name
    status: Literal["ok", "draining", "overloaded"]
    active: int = Field(ge=0)
    capacity: int = Field(ge=0)


class Ack(Payload):
    """The message is stored, whatever becomes of it."""

    message_id: Name


class Nack(Payload):
    """The message had no effect. Its id is empty when it could not be read."""

    message_id: str = Field(max_length=128)
    error: ErrorObject
