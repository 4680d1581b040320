"""The base of every value that is read from JSON: frozen, strict, unknown keys ignored.

Strict means that "50" is no integer and 1 no boolean. Tuples and enums, which JSON does
not have, are the only lax spots.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents_app.protocol.errors import Code, SynapseError

JsonObject = Mapping[str, object]

T = TypeVar("T")
Items = Annotated[tuple[T, ...], Field(strict=False)]
"""A JSON array, kept as a tuple."""

Name = Annotated[str, Field(min_length=1, max_length=128)]
"""An identifier: of a task, a type, an agent, an option."""


class Value(BaseModel):
    """A JSON object with known fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        strict=True,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    @classmethod
    def parse(cls, value: object) -> Self:
        """Read untrusted JSON. INVALID_FIELD, with a text per path, if it is not so."""
        try:
            return cls.model_validate(value)
        except ValidationError as refused:
            details = {"fields": field_errors(refused)}
            raise SynapseError(Code.INVALID_FIELD, details=details) from refused

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; absent (None) fields are left out, inner nulls stay.

        Any: a JSON value has no narrower type that callers could use without casts.
        """
        return self.model_dump(mode="json", exclude_none=True)


def field_errors(refused: ValidationError) -> dict[str, str]:
    """Path → what is wrong there, without the value itself: it may be a secret.

    The first twenty are enough to learn from; a hostile list has a million.
    """
    errors = refused.errors(
        include_url=False, include_context=False, include_input=False
    )
    return {
        join_path(error["loc"]): error["msg"].removeprefix("Value error, ")
        for error in errors[:20]
    }


def join_path(parts: Sequence[str | int]) -> str:
    """`("items", 3, "name")` → `items[3].name`."""
    steps = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return "".join(steps).removeprefix(".")
