"""The ledger's rows: what happened. Written by `tasks_app.ledger` and its callers."""

from tasks_app.models.absence import Absence
from tasks_app.models.attachment import Attachment
from tasks_app.models.attempt import Attempt, JournalEntry
from tasks_app.models.caller import Caller, CallerKey
from tasks_app.models.delivery import (
    Delivery,
    DeliveryAttempt,
    DeliveryKind,
    DeliveryState,
)
from tasks_app.models.desk_event import DeskEvent
from tasks_app.models.message import Message
from tasks_app.models.question import HumanRequest, InfoRequest, Question, QuestionState
from tasks_app.models.received import Received
from tasks_app.models.rung import RungPolicy
from tasks_app.models.staff import CallerStaff
from tasks_app.models.task import Task
from tasks_app.models.vote import Vote

__all__ = [
    "Absence",
    "Attachment",
    "Attempt",
    "Caller",
    "CallerKey",
    "CallerStaff",
    "Delivery",
    "DeliveryAttempt",
    "DeliveryKind",
    "DeliveryState",
    "DeskEvent",
    "HumanRequest",
    "InfoRequest",
    "JournalEntry",
    "Message",
    "Question",
    "QuestionState",
    "Received",
    "RungPolicy",
    "Task",
    "Vote",
]
