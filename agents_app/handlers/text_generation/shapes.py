"""Input and output of `text_generation`."""

from pydantic import BaseModel, ConfigDict, Field


class Prompt(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: str = Field(min_length=1, max_length=200_000)
    system: str | None = Field(default=None, max_length=50_000)
    model: str | None = Field(
        default=None, max_length=200, description="Default: the configured model."
    )
    max_tokens: int = Field(default=1024, ge=1, le=32_768)
    temperature: float | None = Field(default=None, ge=0, le=2)


class Generated(BaseModel):
    """`finish_reason` is the endpoint's word; `length` means the text was cut."""

    model_config = ConfigDict(frozen=True)

    text: str
    model: str
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
