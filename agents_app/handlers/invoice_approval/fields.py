"""The five facts of an invoice, known or not, and where each came from.

Everything else in this package passes a `Draft` on and fills its gaps.
"""

from collections.abc import Mapping
from datetime import date as Date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
)

from agents_app.protocol.errors import SynapseError
from agents_app.protocol.jsontext import dumps

# 15 digits are what a JSON number (a double) carries exactly.
Money = Annotated[
    Decimal,
    Field(ge=0, max_digits=15, decimal_places=4),
    PlainSerializer(float, return_type=float, when_used="json"),
    WithJsonSchema({"type": "number", "minimum": 0}),
]
Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)
]
# Strict: otherwise the number 0 would be the first of January 1970.
IsoDate = Annotated[Date, Field(strict=True)]
Currency = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_upper=True, pattern=r"^[A-Za-z]{3}$"),
]


class InvoiceFields(BaseModel):
    """The facts an invoice needs to be booked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vendor: Text = Field(description="Who sent the invoice.")
    invoice_number: Text = Field(description="The vendor's number of the invoice.")
    date: IsoDate = Field(description="The day of the invoice, such as 2024-05-31.")
    amount: Money = Field(description="The total to pay, taxes included.")
    currency: Currency = Field(description="Three letters, such as EUR.")


class KnownFields(BaseModel):
    """The same five while some are still missing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vendor: Text | None = None
    invoice_number: Text | None = None
    date: IsoDate | None = None
    amount: Money | None = None
    currency: Currency | None = None


class Invoice(KnownFields):
    """The input. Fields given here are believed; the rest is read or asked for."""

    limit: Money = Field(
        default=Decimal(1000),
        description="Up to this amount, in the invoice's currency, nobody is asked.",
    )


NAMES = tuple(InvoiceFields.model_fields)


class Source(StrEnum):
    """Where a field's value comes from."""

    PAYLOAD = "payload"  # The caller sent it with the task.
    DOCUMENT = "document"  # Read from the PDF.
    ANSWER = "answer"  # The caller gave it when asked.
    OPERATOR = "operator"  # A person put it in while deciding.


class Draft(BaseModel):
    """What is known so far. `values` holds the JSON form of fields that passed."""

    model_config = ConfigDict(frozen=True)

    values: dict[str, Any] = {}  # Any: JSON, one type per field.
    sources: dict[str, Source] = {}

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(name for name in NAMES if name not in self.values)

    def complete(self) -> InvoiceFields:
        return InvoiceFields.model_validate_json(dumps(self.values))

    def filled(self, given: Mapping[str, object], source: Source) -> "Draft":
        """A copy with the usable values of `given`; the rest is left as it was."""
        usable = {
            name: json_value
            for name in NAMES
            if (json_value := usable_value(name, given.get(name))) is not None
        }
        return Draft(
            values=self.values | usable,
            sources=self.sources | dict.fromkeys(usable, source),
        )


def usable_value(name: str, value: object) -> object:
    """The JSON form of `value` as that field, None when it does not fit."""
    try:
        known = KnownFields.model_validate_json(dumps({name: value}))
    except (ValidationError, SynapseError):
        return None
    fields: dict[str, object] = known.model_dump(mode="json")
    return fields[name]


def field_schema(name: str) -> dict[str, object]:
    """JSON Schema of one field, for the form that asks for it."""
    schema: dict[str, object] = _SCHEMA["properties"][name]
    return schema


def change_schema() -> dict[str, object]:
    """JSON Schema of what a person may change: any of the fields, nothing else."""
    return {key: part for key, part in _SCHEMA.items() if key != "required"}


_SCHEMA = InvoiceFields.model_json_schema()
