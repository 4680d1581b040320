"""Reads a planned change: what it says, where it leads."""

from tasks_app.changes import Change


def said(change: Change) -> list[str]:
    """The types of its messages, without their prefix."""
    return [message.type.removeprefix("p2p:") for message in change.messages]


def generations(change: Change) -> list[int]:
    return [message.generation for message in change.messages]


def routes(change: Change) -> list[tuple[str, str]]:
    return [(message.sender, message.recipient) for message in change.messages]
