"""What a refused verb tells a person: what happened, who did it and when."""

from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.admin.tree import one_line
from tasks_app.admin.when import span, stamp
from tasks_app.desk import rights
from tasks_app.desk.rights import address
from tasks_app.models import DeskEvent, Question, QuestionState

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
            return _no_right(error, question)
        case Code.OWN_STAFF:
            return own_staff(question, viewer)
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
        case Code.QUESTION_CLIMBED:
            return f"{_climb(question)} Nothing was sent: it is not of your level now."
        case Code.TOP_LEVEL:
            return f"Level {question.level} is the highest: there is none above it."
        case Code.VOTES_DIFFER | Code.ALREADY_VOTED | Code.NOT_ELIGIBLE:
            return _about_people(error, viewer)
        case _:
            return error.message


def own_staff(question: Question, viewer: User) -> str:
    """Why somebody cannot decide where duties are separated."""
    caller = question.task.asker
    whose = "You belong to the own staff"
    if viewer.pk not in rights.own_staff(question):
        whose = "Whom you stand in for belongs to the own staff"
    return (
        f"{whose} of {caller}, which submitted this task. By the rule for it "
        "they cannot decide what it submits."
    )


def _no_right(error: SynapseError, question: Question) -> str:
    if "on_behalf_of" in error.details:
        return (
            f"You do not stand in for that person at level {question.level} (any more)."
        )
    if question.owner != "us":
        return f"The people of {question.task.requester} decide this request."
    return f"You may not decide level {question.level} requests."


def _climb(question: Question) -> str:
    """Who took it to the level where it is, when and why."""
    climbs = (DeskEvent.Kind.CLIMBED, DeskEvent.Kind.ESCALATED)
    last = question.events.filter(kind__in=climbs).order_by("-id").first()
    when = _at(question.level_since)
    if last is None or last.kind == DeskEvent.Kind.CLIMBED:
        return f"Nobody answered: it went to level {question.level} by itself {when}."
    why = f" (“{one_line(last.comment, 200)}”)" if last.comment else ""
    return f"{person(last.by)} gave it to level {question.level} {when}{why}."


def _about_people(error: SynapseError, viewer: User) -> str:
    """Who stands in the way, by name."""
    name = str(error.details.get("by") or error.details.get("user") or "Somebody")
    if error.code is Code.NOT_ELIGIBLE:
        return f"{name} may not decide this request, or has it already."
    if error.code is Code.VOTES_DIFFER:
        return (
            f"{name} voted for another answer, so yours was not counted. Agree with "
            f"that one, reject, or have {name} withdraw the vote."
        )
    if name == viewer.get_username():
        return "You have voted already. To vote otherwise, withdraw that vote first."
    return f"{name} has voted in this right already. It counts once."


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
