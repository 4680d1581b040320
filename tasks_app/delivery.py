"""Sending callbacks; see the outbox rows. (stub)"""

from datetime import datetime


def anything_due(now: datetime) -> bool:
    return False


def deliver_due() -> None:
    return None
