"""The answers, described for OpenAPI (P2A chapter 7 and 9).

`presenting.py` makes them; a test holds the two together. Fields below "ours" are not
in the seed.
"""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from agents_app.protocol.payloads import MissingField, Priority, TaskTypeCapability
from agents_app.protocol.states import PublicStatus, TaskState

JsonObject = dict[str, object]


class Answer(BaseModel):
    """All keys are always there."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class ErrorDetails(Answer):
    """P2A chapter 9."""

    code: int = Field(description="See the error catalogue.")
    category: Literal[
        "system", "task", "info", "capability", "security", "communication"
    ]
    message: str
    details: JsonObject
    retry_after: int | None = Field(description="Seconds.")


class ErrorAnswer(Answer):
    """Every answer that is not 2xx or 304."""

    success: Literal[False]
    error: ErrorDetails


class PendingAction(Answer):
    """What the task waits for."""

    kind: Literal["info", "human"]
    reason: str | None
    missing_fields: list[MissingField] | None = Field(description="info: still missing")
    level: int | None = Field(description="human: 1 operator, 2 supervisor, 3 owner")
    request_id: UUID
    version: int
    since: datetime
    due_at: datetime


class FileEntry(Answer):
    """A file of a task."""

    file_id: UUID
    kind: Literal["input", "result"]
    name: str
    content_type: str
    size: int = Field(description="Bytes.")
    sha256: str
    url: str = Field(description="Path of the download, on the same host.")


class SubmitAnswer(Answer):
    """P2A 7.1."""

    success: Literal[True]
    task_id: UUID
    status: PublicStatus
    message: str
    error: None
    # ours
    a2a_state: TaskState


class ChangedAnswer(SubmitAnswer):
    """After a cancel or an answer."""

    pending_action: PendingAction | None


class StatusAnswer(Answer):
    """The short form of a task."""

    success: Literal[True]
    task_id: UUID
    status: PublicStatus
    progress: int = Field(ge=0, le=100)
    message: str
    eta: datetime | None
    updated_at: datetime
    error: ErrorDetails | None
    # ours
    a2a_state: TaskState
    pending_action: PendingAction | None


class Task(Answer):
    """P2A 7.3."""

    id: UUID
    type: str
    status: PublicStatus
    progress: int = Field(ge=0, le=100)
    message: str
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    eta: datetime | None
    result: JsonObject | None
    error: ErrorDetails | None
    # ours
    a2a_state: TaskState
    pending_action: PendingAction | None
    external_task_id: str | None
    priority: Priority
    files: list[FileEntry]


class TaskAnswer(Answer):
    """P2A 7.2."""

    success: Literal[True]
    task: Task
    error: None


class ListedTask(Task):
    """P2A 7.3, but what is large in it is shown by its own address only."""

    # ours
    shortened: list[
        Literal["result", "error", "message", "pending_action", "files"]
    ] = Field(
        description="Fields that are not whole here: a result is then null, an error "
        "without details. Usually empty."
    )


class TaskListAnswer(Answer):
    """P2A 7.4."""

    success: Literal[True]
    tasks: list[ListedTask]
    total: int
    limit: int
    offset: int
    has_more: bool
    # ours
    total_is_exact: bool = Field(description="Counted to the end, not only to 10,000.")
    next_cursor: str | None


class OfferedType(TaskTypeCapability):
    """P2A 7.6."""

    # ours
    agent_id: str | None = Field(
        default=None, description="The remote agent that does it; absent for our own."
    )


class CapabilitiesAnswer(Answer):
    """P2A 7.5."""

    success: Literal[True]
    agent_id: str
    agent_name: str
    protocol_version: str
    supported_task_types: list[OfferedType]
    supported_content_types: list[str] = Field(description="Of files.")
    max_file_size: int = Field(description="Bytes.")
    max_concurrent_tasks: int
    max_task_duration: int = Field(description="Seconds.")
    support_progress_updates: bool
    support_streaming: bool
    support_hil: bool
    support_groups: bool
    # ours
    max_files: int
    max_upload_size: int = Field(description="Bytes of a whole multipart body.")
    max_body_size: int = Field(description="Bytes of a JSON body or of all text parts.")
    callback_events: list[str]


class CallbackBody(Answer):
    """P2A 8.1: what we send to `callback_url`."""

    task_id: UUID
    external_task_id: str | None
    status: PublicStatus
    progress: int = Field(ge=0, le=100)
    result: JsonObject | None
    error: ErrorDetails | None
    timestamp: datetime
    # ours
    a2a_state: TaskState
    message: str
    sequence: int = Field(description="1, 2, 3 … per task: puts callbacks in order.")
    missing_fields: list[MissingField] | None
