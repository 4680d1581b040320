"""The ledger's rows: what happened. Written by `tasks_app.ledger` and its callers."""

from tasks_app.models.attachment import Attachment
from tasks_app.models.attempt import Attempt, JournalEntry
from tasks_app.models.caller import Caller, CallerKey
from tasks_app.models.delivery import (
    Delivery,
    DeliveryAttempt,
    DeliveryKind,
    DeliveryState,
)
from tasks_app.models.message import Message
from tasks_app.models.question import HumanRequest, InfoRequest, Question, QuestionState
from tasks_app.models.received import Received
from tasks_app.models.task import Task

__all__ = [
    "Attachment",
    "Attempt",
    "Caller",
    "CallerKey",
    "Delivery",
    "DeliveryAttempt",
    "DeliveryKind",
    "DeliveryState",
    "HumanRequest",
    "InfoRequest",
    "JournalEntry",
    "Message",
    "Question",
    "QuestionState",
    "Received",
    "Task",
]
