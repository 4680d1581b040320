"""What a request asks, in one line."""

from collections.abc import Mapping

from tasks_app.admin.tree import label_of, one_line
from tasks_app.models import Question


def summary_of(question: Question) -> str:
    """`reason.summary`, else its first plain value, else its first value."""
    reason = question.reason if isinstance(question.reason, Mapping) else {}
    summary = reason.get("summary")
    if isinstance(summary, str) and summary.strip():
        return one_line(summary)
    plain = [
        (key, value)
        for key, value in reason.items()
        if isinstance(value, str | int | float)
    ]
    for key, value in [*plain, *reason.items()]:
        return one_line(f"{label_of(key)}: {one_line(value)}")
    return "A decision is needed."
