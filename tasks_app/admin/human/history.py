"""What happened to a request at the desk, in order: asked, climbed, given on, voted."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from tasks_app.admin.human.ballots import answer_of, who
from tasks_app.admin.refusals import person
from tasks_app.models import DeskEvent, Question, Vote

# Nobody reads more of them; a vote is withdrawn as often as somebody likes.
_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line; the comment is what somebody typed."""

    at: datetime
    text: str
    comment: str = ""


def history_of(question: Question) -> list[Event]:
    """The newest ones, oldest first; without claims, which say nothing later."""
    told = question.events.select_related("to_user").order_by("-id")[:_MOST]
    votes = Vote.objects.filter(question=question.pk).order_by("-id")[:_MOST]
    found = [_event(one) for one in told]
    found += [event for vote in votes for event in _of_vote(question, vote)]
    return sorted(found, key=lambda one: one.at)[-_MOST:]


def _event(told: DeskEvent) -> Event:
    return Event(at=told.created_at, text=_text(told), comment=told.comment)


def _text(told: DeskEvent) -> str:
    by = person(told.by)
    match told.kind:
        case DeskEvent.Kind.ASKED:
            return f"Asked at level {told.level}"
        case DeskEvent.Kind.REMINDED:
            return f"Reminder at level {told.level}"
        case DeskEvent.Kind.CLIMBED:
            return f"Nobody answered: went to level {told.level} by itself"
        case DeskEvent.Kind.DUE_SOON:
            return "Word that it would be rejected soon"
        case DeskEvent.Kind.ESCALATED:
            return f"{by} gave it to level {told.level}"
        case _:
            return f"{by} gave it to {told.to_user or 'somebody without an account'}"


def _of_vote(question: Question, vote: Vote) -> Iterator[Event]:
    voter = who(vote.decided_by)
    answer = answer_of(question, vote.decision)
    text = f"{voter} voted at level {vote.level}: {answer}"
    yield Event(at=vote.created_at, text=text)
    if vote.withdrawn_at is not None:
        yield Event(at=vote.withdrawn_at, text=f"{voter} withdrew this vote")
