"""Deadlines of questions: what comes too late is no answer (G42).

The sweep ends what is overdue. A late answer ends it too, at once, and is refused.
"""

from datetime import datetime

from tasks_app.models import Question


def is_late(question: Question, now: datetime) -> bool:
    """Whether its time to be answered is over; the sweep reads the same clock."""
    return question.due_at <= now
