"""The base of every value that is read from JSON: frozen, strict, unknown keys ignored.

Strict means that "50" is no integer and 1 no boolean. Tuples and enums, which JSON does
not have, are the only lax spots.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.storable import show_path

JsonObject = Mapping[str, object]

_MANY = 5_000
_SHOWN = 500

T = TypeVar("T")
Items = Annotated[tuple[T, ...], Field(strict=False, fail_fast=True)]
"""A JSON array, kept as a tuple. The first wrong item is reported, not a million."""

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

    The first twenty are enough to learn from. Pydantic tells all or none, and telling
    a hundred thousand takes longer than finding them.
    """
    if refused.error_count() > _MANY:
        return {"": f"{refused.error_count()} values are wrong."}
    errors = refused.errors(
        include_url=False, include_context=False, include_input=False
    )
    return {
        show_path("", error["loc"]): error["msg"].removeprefix("Value error, ")[:_SHOWN]
        for error in errors[:20]
    }
