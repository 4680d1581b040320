"""Votes in words: who answered what, in whose right, and how the vote stands."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from agents_app.protocol.times import parse_rfc3339
from tasks_app.admin import moods
from tasks_app.admin.tree import one_line
from tasks_app.desk import Tally
from tasks_app.models import Question, Vote

_WORDS = {"approve": "Approve", "reject": "Reject", "modify": "Changed value"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """One vote, for reading; the text is of people and of the agent."""

    by: str
    action: str
    answer: str
    comment: str
    at: datetime | None

    @property
    def mood(self) -> str:
        """Its colour."""
        return moods.OUTCOME.get(self.action, "")


def ballots_of(question: Question, votes: Iterable[Vote]) -> list[Ballot]:
    """Of an open question."""
    return [
        _ballot(question, vote.decision, vote.decided_by, vote.created_at)
        for vote in votes
    ]


def kept_ballots(question: Question) -> list[Ballot]:
    """Those that the answer of a closed question keeps; none without a vote."""
    answer = question.answer if isinstance(question.answer, Mapping) else {}
    kept = answer.get("votes")
    found = kept if isinstance(kept, list) else []
    return [
        _ballot(question, one["decision"], one["decided_by"], _moment(one.get("at")))
        for one in found
    ]


def in_words(tally: Tally) -> str:
    """`1 of 2 approvals, 0 of 1 rejections`."""
    return (
        f"{tally.approvals} of {tally.approvals_needed} approvals, "
        f"{tally.rejections} of {tally.rejections_needed} rejections"
    )


def who(decided_by: Mapping[str, object]) -> str:
    """`dora for olga`: who gave an answer, and in whose right."""
    name = str(decided_by.get("user_id", ""))
    principal = decided_by.get("on_behalf_of")
    return f"{name} for {principal}" if principal else name


def answer_of(question: Question, decision: Mapping[str, object]) -> str:
    """`Approve`, or what was chosen or sent instead."""
    action = str(decision.get("action", ""))
    if action == "select":
        return option_label(question, decision.get("option_id"))
    if action == "modify":
        return f"{_WORDS[action]}: {one_line(decision.get('value'), 200)}"
    return _WORDS.get(action, action)


def option_label(question: Question, option_id: object) -> str:
    """As the agent calls it; the id of what it does not offer (any more)."""
    labels = {one["id"]: one.get("label") or one["id"] for one in question.options}
    return str(labels.get(option_id, option_id or ""))


def _ballot(
    question: Question,
    decision: Mapping[str, object],
    decided_by: Mapping[str, object],
    at: datetime | None,
) -> Ballot:
    return Ballot(
        by=who(decided_by),
        action=str(decision.get("action", "")),
        answer=answer_of(question, decision),
        comment=str(decision.get("comment") or ""),
        at=at,
    )


def _moment(text: object) -> datetime | None:
    with suppress(ValueError):
        return parse_rfc3339(str(text))
    return None
