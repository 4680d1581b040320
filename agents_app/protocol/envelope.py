"""The envelope around every message (design §3): our version of the raw protocol.

Top layer: inboxes read with `from_bytes`, outgoing messages are built by `carrying`.
The signature covers the bytes that travelled, so nothing here is needed to verify one.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
)

from agents_app.protocol import jsontext, messages
from agents_app.protocol.addresses import ADDRESS_PATTERN
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.ids import MessageId
from agents_app.protocol.model import JsonObject, Value, field_errors
from agents_app.protocol.payloads import Payload
from agents_app.protocol.storable import MAX_VALUES
from agents_app.protocol.times import parse_rfc3339, rfc3339

PROTOCOL: Literal["synapse"] = "synapse"
VERSION = "1.0.0"

_SAME_MAJOR = re.compile(r"1\.[0-9]{1,9}\.[0-9]{1,9}")


def _moment(value: object) -> object:
    return parse_rfc3339(value) if isinstance(value, str) else value


# It travels as `webhook-id` too, so it has to fit into a header.
MessageIdText = Annotated[str, Field(pattern=r"^[!-~]{1,128}$")]
Address = Annotated[str, Field(pattern=ADDRESS_PATTERN)]
Moment = Annotated[
    datetime, BeforeValidator(_moment), PlainSerializer(rfc3339, return_type=str)
]


class Envelope(Value):
    """One message on its way. Fields this version does not know are in `extra`."""

    model_config = ConfigDict(extra="allow")

    protocol: Literal["synapse"] = PROTOCOL
    version: str = VERSION
    message_id: MessageIdText
    type: Annotated[messages.MessageType, Field(strict=False)]
    sender: Address
    recipient: Address
    timestamp: Moment
    in_reply_to: MessageIdText | None = None
    trace: Annotated[str, Field(max_length=256)] | None = None
    payload: JsonObject

    @classmethod
    def carrying(
        cls,
        payload: Payload,
        *,
        message_id: MessageId,
        sender: str,
        recipient: str,
        timestamp: datetime,
        in_reply_to: str | None = None,
        trace: str | None = None,
    ) -> Self:
        """Wrap a payload; the message type follows from it."""
        return cls(
            message_id=message_id,
            type=messages.type_of(payload),
            sender=sender,
            recipient=recipient,
            timestamp=timestamp,
            in_reply_to=in_reply_to,
            trace=trace,
            payload=payload.to_json(),
        )

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Read a body; ENVELOPE_INVALID or another 6xxx when it is not an envelope."""
        fields = _object(raw)
        _check_version(fields)
        if isinstance(fields.get("type"), str):
            messages.parse_type(str(fields["type"]))
        try:
            return cls.model_validate(fields)
        except ValidationError as refused:
            details = {"fields": field_errors(refused)}
            raise SynapseError(Code.ENVELOPE_INVALID, details=details) from refused

    @property
    def extra(self) -> Mapping[str, object]:
        return self.model_extra or {}

    def content(self) -> Payload:
        """The typed payload; INVALID_FIELD when it does not fit the type."""
        return messages.parse_payload(self.type, self.payload)

    def to_bytes(self) -> bytes:
        """The body to sign and send, once: never build it again to verify it."""
        return jsontext.dumps(self.to_json())


# What stands around a payload that is itself as large as any.
_ROOM = 1_000


def _object(raw: bytes) -> dict[str, object]:
    try:
        value = jsontext.loads(raw, max_values=MAX_VALUES + _ROOM)
    except SynapseError as refused:
        raise SynapseError(
            Code.ENVELOPE_INVALID, refused.message, details=refused.details
        ) from refused
    if not isinstance(value, dict):
        raise SynapseError(Code.ENVELOPE_INVALID, "An envelope is a JSON object.")
    return value


def _check_version(fields: Mapping[str, object]) -> None:
    """First of all: another major version may have other fields altogether."""
    protocol, version = fields.get("protocol"), fields.get("version")
    known = isinstance(version, str) and _SAME_MAJOR.fullmatch(version)
    if protocol == PROTOCOL and known:
        return
    supported = {"protocol": PROTOCOL, "version": VERSION}
    raise SynapseError(Code.VERSION_UNSUPPORTED, details={"supported": supported})
