"""What peers say of messages they got: acknowledged, or refused for good."""

from agents_app.models import Agent
from agents_app.protocol.payloads import ErrorObject


def acknowledge(peer: Agent, message_id: str) -> None:
    """The peer has stored it: it leaves the mailbox (stub)."""


def refuse(peer: Agent, message_id: str, error: ErrorObject) -> None:
    """The peer will not have it (stub)."""
