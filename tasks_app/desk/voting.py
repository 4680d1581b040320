"""Votes: the rules of a level may want several people to agree.

The first approval says what is voted on: who wants another answer rejects, or has the
first one withdraw. What counts are votes at the level where the question is, of people
who have the right still. When it climbs, the votes from below are on record and do not
count above.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action, Decision
from agents_app.protocol.times import rfc3339
from agents_app.schemas.run import key_of
from tasks_app import lifecycle
from tasks_app.changes import Cast, Change, Json, Snapshot
from tasks_app.desk import rights
from tasks_app.desk.offers import MAX_COMMENT_CHARACTERS
from tasks_app.desk.opening import Shown, open_to_anyone
from tasks_app.desk.rights import Capacity
from tasks_app.models import Question, Vote
from tasks_app.transition import steps
from tasks_app.transition import votes as plans


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How a vote stands: how many of how many."""

    approvals: int
    rejections: int
    approvals_needed: int = 1
    rejections_needed: int = 1

    @property
    def settled(self) -> bool:
        """Whether it takes no more votes."""
        enough = self.approvals >= self.approvals_needed
        return enough or self.rejections >= self.rejections_needed


def votes_on(question: Question) -> list[Vote]:
    """All votes at its level that were not withdrawn, in order; some may not count."""
    cast = Vote.objects.filter(
        question=question.pk, level=question.level, withdrawn_at=None
    )
    return list(cast.select_related("voter", "principal"))


def counted(question: Question) -> list[Vote]:
    """Those that count: both people have an account, and the right is there still."""
    staff = rights.own_staff(question)
    return [vote for vote in votes_on(question) if _counts(vote, question.level, staff)]


def tally(question: Question) -> Tally:
    """How the vote stands."""
    return tally_of(question, counted(question))


def withdraw_vote(shown: Shown, user: User) -> None:
    """Take back one's vote while the question is open; nothing happens without one.

    Raises ALREADY_DECIDED, QUESTION_CHANGED.
    """
    now = timezone.now()
    question = open_to_anyone(shown, now)
    if not _vote_of(question, user):
        return

    def plan(task: Snapshot) -> Change:
        if not _vote_of(open_to_anyone(shown, now), user):
            return steps.begin(task)
        return plans.unvote(
            task,
            voter_id=user.pk,
            by=rights.address(user),
            now=now,
            policy=lifecycle.policy(),
        )

    lifecycle.change(question.task_id, plan)


def single(decision: Decision) -> Tally:
    """Where one person decides."""
    return Tally(
        approvals=int(decision.approved), rejections=int(not decision.approved)
    )


def tally_of(
    question: Question, votes: Iterable[Vote], decision: Decision | None = None
) -> Tally:
    """Of these votes, and of one more."""
    sides = [_decision_of(vote).approved for vote in votes]
    sides += [] if decision is None else [decision.approved]
    rung = rights.rung_of(question)
    return Tally(
        approvals=sides.count(True),
        rejections=sides.count(False),
        approvals_needed=rung.approvals,
        rejections_needed=rung.rejections,
    )


def is_repeat(question: Question, decision: Decision, acting: Capacity) -> bool:
    """Whether it is the same vote once more, as by a double click.

    ALREADY_VOTED for another one, of these people, in whoever's right: nobody counts
    twice.
    """
    people = (acting.user.pk, acting.principal.pk)
    mine = Q(voter__in=people) | Q(principal__in=people)
    before = Vote.objects.filter(
        mine, question=question.pk, level=question.level, withdrawn_at=None
    )
    for vote in before:
        same_people = (vote.voter_id, vote.principal_id) == people
        if not same_people or vote.decision != decision.to_json():
            raise SynapseError(
                Code.ALREADY_VOTED,
                details={
                    "by": vote.decided_by["user_id"],
                    "at": rfc3339(vote.created_at),
                },
            )
    return bool(before)


def check_agrees(votes: Iterable[Vote], decision: Decision) -> None:
    """VOTES_DIFFER for an approval of another answer than that of these votes."""
    if not decision.approved:
        return
    for vote in votes:
        other = _decision_of(vote)
        if other.approved and _answer(other) != _answer(decision):
            raise SynapseError(
                Code.VOTES_DIFFER,
                details={
                    "by": vote.decided_by["user_id"],
                    "decision": other.to_json(),
                },
            )


def ballot(
    question: Question, decision: Decision, acting: Capacity, now: datetime
) -> Cast:
    """The vote as the ledger takes it."""
    return Cast(
        level=question.level,
        voter_id=acting.user.pk,
        principal_id=acting.principal.pk,
        decision=decision.to_json(),
        decided_by=rights.decided_by(acting, question).to_json(),
        at=now,
    )


def ballots(votes: Iterable[Vote]) -> list[Json]:
    """The votes as the answer of the question keeps them."""
    return [_entry(vote.decision, vote.decided_by, vote.created_at) for vote in votes]


def as_ballot(cast: Cast) -> Json:
    """The same of a vote that is just being cast."""
    return _entry(cast.decision, cast.decided_by, cast.at)


def final(votes: Sequence[Json], decision: Decision) -> Decision:
    """What the agent gets: the answer of the last vote, with the comments of its side.

    One comment stays as it is; of several each says whose it is.
    """
    said = [
        (who, text)
        for who, text, side in map(_said, votes)
        if text and side == (decision.action is not Action.REJECT)
    ]
    if not said:
        return decision
    lines = [text if len(said) == 1 else f"{who}: {text}" for who, text in said]
    comment = "\n".join(lines)[:MAX_COMMENT_CHARACTERS]
    return decision.model_copy(update={"comment": comment})


def _said(vote: Json) -> tuple[str, str, bool]:
    decision, who = vote["decision"], vote["decided_by"]
    assert isinstance(decision, Mapping)  # noqa: S101 - by `_entry`
    assert isinstance(who, Mapping)  # noqa: S101 - by `_entry`
    approved = decision["action"] != Action.REJECT
    return str(who["user_id"]), str(decision.get("comment") or ""), approved


def _entry(decision: Json, decided_by: Json, at: datetime) -> Json:
    return {"decision": decision, "decided_by": decided_by, "at": rfc3339(at)}


def _vote_of(question: Question, user: User) -> bool:
    return any(vote.voter_id == user.pk for vote in votes_on(question))


def _counts(vote: Vote, level: int, staff: frozenset[int]) -> bool:
    voter, principal = vote.voter, vote.principal
    if voter is None or principal is None or staff & {voter.pk, principal.pk}:
        return False
    return voter.is_active and rights.has_right(principal, level)


def _decision_of(vote: Vote) -> Decision:
    return Decision.parse(vote.decision)


def _answer(decision: Decision) -> str:
    return key_of([decision.action, decision.option_id, decision.value])
