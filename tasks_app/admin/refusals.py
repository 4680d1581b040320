"""What a refused verb tells a person: what happened, who did it and when."""

from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.admin.when import span, stamp
from tasks_app.desk.deciding import address
from tasks_app.models import Question, QuestionState

# The answer was understood and is wrong: the form comes back with what was typed.
_BAD_INPUT = frozenset(
    {
        Code.DECISION_INVALID,
        Code.INFO_INVALID,
        Code.INVALID_FIELD,
        Code.UNSTORABLE_VALUE,
    }
)


def is_bad_input(error: SynapseError) -> bool:
    """Whether the form can be corrected and sent again."""
    return error.code in _BAD_INPUT


def fields_of(error: SynapseError) -> dict[str, str]:
    """Path → text; one without a path when the error names no field."""
    fields = error.details.get("fields")
    if isinstance(fields, dict):
        return {str(path): str(text) for path, text in fields.items()}
    path = error.details.get("path")
    return {str(path or ""): error.message}


def explain(error: SynapseError, question: Question, viewer: User) -> str:
    """One or two sentences; the question was read after the refusal."""
    match error.code:
        case Code.FORBIDDEN:
            return f"You may not decide level {question.level} requests."
        case _ if not question.is_open:
            return f"{ending(question, viewer)} Your answer was not used."
        case Code.CLAIMED_BY_OTHER if question.claimed_by:
            holder = question.claimed_by.get_username()
            return f"{holder} took this request in hand {_at(question.claimed_at)}."
        case Code.QUESTION_CHANGED:
            return (
                "The agent changed its question after you opened the page. "
                "Nothing was sent; this is the question as it is now."
            )
        case _:
            return error.message


def ending(question: Question, viewer: User | None = None) -> str:
    """How a closed question ended."""
    who = person(question.closed_by)
    when = _at(question.closed_at)
    if viewer is not None and question.closed_by == address(viewer):
        who = "you"
    match question.state:
        case QuestionState.EXPIRED:
            return f"Nobody answered in time: ended by {who} {when}."
        case QuestionState.WITHDRAWN:
            return f"No longer needed: the task went on or ended {when}."
        case _:
            return f"Answered by {who} {when}."


def person(address: str) -> str:
    """`desk:ann` → `ann`, `caller:…` → `the caller`; others stay as they are."""
    if address.startswith("caller:"):
        return "the caller"
    return address.removeprefix("desk:")


def _at(moment: datetime | None) -> str:
    if moment is None:
        return ""
    return f"at {stamp(moment)} ({span(timezone.now() - moment)} ago)"
