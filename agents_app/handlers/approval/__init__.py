"""`approval`: a question to a person, and what they decided. Takes no files."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agents_app.context import Action, Context
from agents_app.registry import handles
from agents_app.results import InWords

Choice = Annotated[str, Field(min_length=1, max_length=128)]


class ApprovalRequest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    summary: str = Field(
        min_length=1, max_length=500, description="The question, in one line."
    )
    details: dict[str, Any] = Field(  # Any: JSON that is only shown.
        default={}, description="What the person should know before deciding."
    )
    level: int = Field(
        default=1, ge=1, le=3, description="1 operator, 2 supervisor, 3 owner."
    )
    options: list[Choice] = Field(
        default=[],
        max_length=20,
        description="Answers to choose from, besides approve and reject.",
    )
    suggested_value: dict[str, Any] | None = Field(  # Any: as above.
        default=None, description="A proposal, which the person may change."
    )

    @field_validator("options")
    @classmethod
    def _differ(cls, options: list[str]) -> list[str]:
        if len(set(options)) < len(options):
            raise ValueError("two options are the same")
        if {"approve", "reject"} & set(options):
            raise ValueError("approve and reject are offered anyway")
        return options


class ApprovalDecision(BaseModel, InWords):
    """A rejection is a result, no failure; so is silence, by `system:timeout`."""

    model_config = ConfigDict(frozen=True)

    approved: bool
    action: Action
    option: str | None = Field(description="The one that was chosen.")
    value: dict[str, Any] | None = Field(  # Any: as the person left it.
        description="The proposal as it was approved: changed, or as it came."
    )
    comment: str | None
    decided_by: str

    def in_words(self) -> str:
        """Who did what."""
        if self.option is not None:
            return f"“{self.option}” was chosen by {self.decided_by}."
        verb = "Approved" if self.approved else "Rejected"
        changed = " with changes" if self.action is Action.MODIFY else ""
        return f"{verb}{changed} by {self.decided_by}."


@handles(
    "approval",
    input=ApprovalRequest,
    output=ApprovalDecision,
    name="Approval",
    estimated_time="1min-1d",
    max_duration_s=60,
    capabilities=("human_approval",),
)
def approve(ctx: Context[ApprovalRequest]) -> ApprovalDecision:
    """Ask a person to approve, reject, choose or correct something."""
    asked = ctx.payload
    decision = ctx.need_human(
        level=asked.level,
        reason={"summary": asked.summary, **_besides(asked)},
        options=asked.options,
        suggested_value=asked.suggested_value,
    )
    value = decision.value if decision.action is Action.MODIFY else None
    if decision.approved and decision.action is not Action.MODIFY:
        value = asked.suggested_value
    return ApprovalDecision.model_validate(
        {
            "approved": decision.approved,
            "action": decision.action,
            "option": decision.option_id,
            "value": value,
            "comment": decision.comment,
            "decided_by": decision.decided_by.user_id,
        }
    )


def _besides(asked: ApprovalRequest) -> dict[str, object]:
    return {"details": asked.details} if asked.details else {}
