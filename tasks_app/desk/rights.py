"""Who may decide a question, and in whose right. Asked again by every write (G43).

An operator decides in their own right, or as the deputy of somebody who is out of
office. A deputy has what the absent person has at that moment, never more: at the
levels that the absence names, and where the rule of the ladder lets deputies decide.
"""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from agents_app.protocol.addresses import Party
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import DecidedBy
from tasks_app import lifecycle
from tasks_app.ladder import TOP_LEVEL, Ladder, Rung
from tasks_app.ladder import ladder_of as kept_ladder
from tasks_app.models import Absence, CallerStaff, DeskEvent, Question

ROLES = {1: "operator", 2: "supervisor", 3: "owner"}
# `protocol.model.Name`; Django allows user names of 150 characters.
MAX_NAME = 128
# `decided_by.via` (decisions 17).
DEPUTY = "deputy"
DELEGATION = "delegation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """In whose right `user` acts: their own, or that of the absent `principal`."""

    user: User
    principal: User

    @property
    def as_deputy(self) -> bool:
        """Whether it is somebody else's right."""
        return self.principal.pk != self.user.pk


def address(user: User) -> str:
    """`desk:<user>`, the A2A address of an operator."""
    return Party.DESK.address(user.get_username())


def ladder_of(question: Question) -> Ladder:
    """The rules that the question was asked under."""
    return kept_ladder(question, lifecycle.policy().answer_s)


def rung_of(question: Question) -> Rung:
    """The rules for the level where it is."""
    return ladder_of(question).at(question.level)


def may_decide(user: User, question: Question) -> bool:
    """Whether the operator may decide it as it stands, if as a deputy."""
    try:
        capacity_of(user, question, timezone.now())
    except SynapseError:
        return False
    return True


def may_release(user: User) -> bool:
    """Whether the operator has the right to give back what others hold."""
    return user.is_active and user.has_perm("tasks_app.release_question")


def levels_of(user: User) -> frozenset[int]:
    """The levels that they may decide, by their own right or as a deputy."""
    levels = frozenset(range(1, TOP_LEVEL + 1))
    own = frozenset(level for level in levels if has_right(user, level))
    if own == levels or not user.is_active:
        return own
    lent = (
        level
        for absence in _absences(user, timezone.now())
        for level in absence.levels
        if level not in own and has_right(absence.user, level)
    )
    return own | frozenset(lent)


def eligible(question: Question) -> QuerySet[User]:
    """Whom it can be delegated to: active people with the right of their own."""
    right = f"tasks_app.decide_level_{question.level}"
    people = User.objects.with_perm(
        right, backend="django.contrib.auth.backends.ModelBackend"
    )
    return people.exclude(pk__in=own_staff(question)).order_by("username")


def stands_in_for(user: User, question: Question) -> list[User]:
    """The absent people for whom they may decide it, by name."""
    return _principals(user, question, timezone.now())


def capacity_of(
    user: User,
    question: Question,
    now: datetime,
    on_behalf_of: User | None = None,
) -> Capacity:
    """In whose right they may decide it: their own, if that will do.

    Raises FORBIDDEN, also for `on_behalf_of` somebody they do not stand in for, and
    OWN_STAFF where the rule separates duties.
    """
    level = question.level
    staff = own_staff(question)
    if on_behalf_of is not None and on_behalf_of.pk != user.pk:
        absent = _principals(user, question, now)
        principals = [one for one in absent if one.pk == on_behalf_of.pk]
    elif has_right(user, level):
        principals = [user]
    else:
        principals = _principals(user, question, now)
    if not principals:
        raise SynapseError(Code.FORBIDDEN, details={"level": level})
    principals = [one for one in principals if one.pk not in staff]
    if user.pk in staff or not principals:
        raise SynapseError(Code.OWN_STAFF)
    # Who holds it has asked for it to be decided in their right.
    principals.sort(key=lambda one: one.pk != question.claimed_by_id)
    return Capacity(user=user, principal=principals[0])


def decided_by(acting: Capacity, question: Question) -> DecidedBy:
    """Who decided, as the message says it: its names are shorter than a user's."""
    via = None
    if acting.as_deputy:
        via = DEPUTY
    elif _was_given(acting.user, question):
        via = DELEGATION
    return DecidedBy(
        user_id=acting.user.get_username()[:MAX_NAME],
        role=ROLES[question.level],
        on_behalf_of=acting.principal.get_username() if acting.as_deputy else None,
        via=via,
    )


def has_right(user: User, level: int) -> bool:
    """Whether they may decide at a level in their own right."""
    return user.is_active and user.has_perm(f"tasks_app.decide_level_{level}")


def own_staff(question: Question) -> frozenset[int]:
    """Users who cannot decide because they work for the caller that submitted it.

    Empty where the rule does not separate duties, and for what an agent asked of us.
    """
    if not rung_of(question).separate or question.task.caller_id is None:
        return frozenset()
    known = CallerStaff.objects.filter(caller_id=question.task.caller_id)
    return frozenset(known.values_list("user_id", flat=True))


def _principals(user: User, question: Question, now: datetime) -> list[User]:
    if not user.is_active or not rung_of(question).deputies:
        return []
    return _absent(user, question.level, now)


def _absent(user: User, level: int, now: datetime) -> list[User]:
    """Whom they stand in for at a level now; without a right there is none to lend."""
    found = (one for one in _absences(user, now) if level in one.levels)
    people = {one.user_id: one.user for one in found}.values()
    return [person for person in people if has_right(person, level)]


def _absences(user: User, now: datetime) -> QuerySet[Absence]:
    """In which they are the deputy now, by the name of the absent."""
    current = Absence.objects.filter(deputy=user, starts_at__lte=now, ends_at__gt=now)
    return current.select_related("user").order_by("user__username")


def _was_given(user: User, question: Question) -> bool:
    """Whether they hold it because somebody delegated it to them."""
    if question.claimed_by_id != user.pk or question.claimed_at is None:
        return False
    return DeskEvent.objects.filter(
        question=question.pk,
        kind=DeskEvent.Kind.DELEGATED,
        to_user=user,
        created_at=question.claimed_at,
    ).exists()
