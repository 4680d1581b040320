"""Identifiers. Lowest layer: everything that is sent or stored is named here."""

from typing import NewType
from uuid import UUID

from uuid_utils.compat import uuid7

MessageId = NewType("MessageId", str)


def new_id() -> UUID:
    """A UUIDv7: sorts by creation, strictly rising in one process, 74 random bits."""
    return uuid7()


def new_message_id() -> MessageId:
    return MessageId(str(uuid7()))
