"""In whose right somebody may decide a request, or why they may not.

For the page only: the verbs of `desk` find out for themselves when they write (G43).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import desk
from tasks_app.desk import rights
from tasks_app.models import Question, Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """What somebody can do about a request as it stands.

    `refused` is why they may not decide it. `own`: in their own right; `absent`: for
    whom they may decide it instead. Neither, when others hold it or when they voted:
    `vote` is theirs, or the one that was given in their right.
    """

    user: User
    refused: Code | None = None
    own: bool = False
    absent: tuple[User, ...] = ()
    vote: Vote | None = None

    @property
    def may_answer(self) -> bool:
        """Whether there is a right left that they have not used for a vote."""
        return self.own or bool(self.absent)

    @property
    def own_vote(self) -> Vote | None:
        """The vote that they can withdraw."""
        mine = self.vote is not None and self.vote.voter_id == self.user.pk
        return self.vote if mine else None

    @property
    def choices(self) -> list[tuple[str, str]]:
        """In whose right, for a form: their own comes first."""
        found = [("", "In my own right")] if self.own else []
        return found + [(str(one.pk), f"For {one}") for one in self.absent]


def acting_on(question: Question, user: User) -> Acting:
    """As it stands now."""
    try:
        rights.capacity_of(user, question, timezone.now())
    except SynapseError as refused:
        return Acting(user=user, refused=refused.code, vote=_own(question, user))
    staff = rights.own_staff(question)
    own = rights.has_right(user, question.level)
    absent = [one for one in desk.stands_in_for(user, question) if one.pk not in staff]
    holder = question.claimed_by_id
    if holder not in (None, user.pk):
        own, absent = False, [one for one in absent if one.pk == holder]
        if not absent:
            return Acting(user=user, vote=_own(question, user))
    return _unspent(question, user, own, absent)


def principal_of(
    data: Mapping[str, Any], question: Question, user: User
) -> User | None:
    """Whom the form says they decide for; FORBIDDEN if they do not stand in for them.

    Any: the query dict of the request.
    """
    chosen = str(data.get("on_behalf_of") or "")
    if not chosen:
        return None
    for one in desk.stands_in_for(user, question):
        if str(one.pk) == chosen:
            return one
    details = {"level": question.level, "on_behalf_of": chosen}
    raise SynapseError(Code.FORBIDDEN, details=details)


def _unspent(question: Question, user: User, own: bool, absent: list[User]) -> Acting:
    """Nobody counts twice, whoever gave the vote and in whose right."""
    votes = desk.votes_on(question)
    spent = {pk for vote in votes for pk in (vote.voter_id, vote.principal_id)}
    if user.pk in spent:
        own, absent = False, []
    people = [user.pk, *(one.pk for one in absent)]
    left = [one for one in absent if one.pk not in spent]
    mine = (
        vote for vote in votes if vote.voter_id in people or vote.principal_id in people
    )
    vote = None if own or left else next(mine, None)
    return Acting(user=user, own=own, absent=tuple(left), vote=vote)


def _own(question: Question, user: User) -> Vote | None:
    """Theirs to withdraw, also when they may do nothing else."""
    found = (vote for vote in desk.votes_on(question) if vote.voter_id == user.pk)
    return next(found, None)
