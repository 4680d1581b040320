"""The objects inside payloads: errors, questions, decisions, attachments.

The seed names them (`reason`, `error`, `missing_fields`, `options`, `decision`,
`decided_by`) without giving them a shape; decisions 12, 16, 17, 39 and 50 do.
"""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_serializer, model_validator

from agents_app.protocol.errors import SynapseError, category_of
from agents_app.protocol.model import Items, JsonObject, Name, Value

# A year, in seconds: nobody waits longer, and every clock can add it.
MAX_RETRY_AFTER = 31_536_000


class Priority(StrEnum):
    """A2A 6.1 and P2A 6.1; `normal` unless said otherwise."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"


class Action(StrEnum):
    """What a person can decide."""

    APPROVE = "approve"
    REJECT = "reject"
    SELECT = "select"  # One of the options, by its id.
    MODIFY = "modify"  # A value of their own.


class ErrorObject(Value):
    """`reason` of a rejection, `error` of a failure (A2A 6.3, 6.6; P2A chapter 9).

    `retry_after` is in seconds. A missing category follows from the code.
    """

    code: int = Field(ge=1000, le=9999)
    category: str = ""
    message: str
    details: JsonObject = {}
    retry_after: int | None = Field(default=None, ge=0, le=MAX_RETRY_AFTER)

    @model_validator(mode="before")
    @classmethod
    def _fill_category(cls, given: object) -> object:
        if isinstance(given, dict) and not given.get("category"):
            code = given.get("code")
            if isinstance(code, int):
                return given | {"category": str(category_of(code))}
        return given

    @model_serializer
    def _all_five(self) -> dict[str, object]:
        # P2A chapter 9 shows every field: `retry_after` stays, even as null.
        return {name: getattr(self, name) for name in type(self).model_fields}

    @classmethod
    def of(cls, error: SynapseError) -> Self:
        return cls.model_validate(error.to_object())


class MissingField(Value):
    """One fact the executor lacks (A2A 6.7). A bare string is its name."""

    name: Name
    type: str | None = None
    description: str | None = None
    required: bool = True
    # Not called `schema`: pydantic's own models have a method of that name.
    json_schema: JsonObject | None = Field(default=None, alias="schema")

    @model_validator(mode="before")
    @classmethod
    def _accept_a_name(cls, given: object) -> object:
        return {"name": given} if isinstance(given, str) else given


class Option(Value):
    """One way to decide (A2A 6.9). A bare string is id and label at once."""

    id: Name
    label: str = ""
    value: object = None
    description: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _accept_a_label(cls, given: object) -> object:
        if isinstance(given, str):
            return {"id": given, "label": given}
        if isinstance(given, dict) and not given.get("label"):
            return given | {"label": given.get("id")}
        return given


class Decision(Value):
    """What was decided (A2A 6.10). `select` names an option, `modify` a value."""

    action: Annotated[Action, Field(strict=False)]
    option_id: Name | None = None
    value: object = None
    comment: str | None = None

    @property
    def approved(self) -> bool:
        """Everything but a rejection lets the executor go on as asked."""
        return self.action is not Action.REJECT

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.action is Action.SELECT and self.option_id is None:
            raise ValueError("select needs an option_id")
        if self.action is Action.MODIFY and self.value is None:
            raise ValueError("modify needs a value")
        return self


class DecidedBy(Value):
    """Who decided (A2A 6.10). Never a made-up person: a timeout is `system:timeout`."""

    user_id: Name
    role: Name
    on_behalf_of: str | None = None
    via: str | None = None


class Attachment(Value):
    """A file beside a payload (ours). `size` in bytes, `sha256` in hex."""

    file_id: Name
    name: str
    content_type: str
    size: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    url: str | None = None


class TaskTypeCapability(Value):
    """One task type an agent offers (P2A 7.6).

    The schemas are JSON text, as P2A says; the `…_object` twins are ours,
    and so are the numbers of files.
    """

    type: Name
    name: str = ""
    description: str = ""
    estimated_time: str | None = None
    input_schema: str | None = None
    output_schema: str | None = None
    capabilities: Items[str] = ()
    input_schema_object: JsonObject | None = None
    output_schema_object: JsonObject | None = None
    # How many uploads a task takes; None is the node's own limit.
    min_files: int | None = None
    max_files: int | None = None
