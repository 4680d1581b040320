"""The ladder in motion: the clock takes a question further, or a person does.

    sweep → advance ─┐
    page → escalate ─┴→ transition.climbing → lifecycle.change

Each step is an ordinary conditional change: of two sweeps one makes it. Whoever holds a
question that climbs keeps it if they may decide the level where it goes; if not, they
do not hold it any more. Who gives it to the next level by hand gives it away.
"""

import copy
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import ladder as rules
from tasks_app import lifecycle
from tasks_app.changes import Change, Internal, Placed, Snapshot, Told
from tasks_app.desk import rights
from tasks_app.desk.offers import check_comment
from tasks_app.desk.opening import Shown, open_for
from tasks_app.desk.rights import address, ladder_of
from tasks_app.desk.timeouts import decide_by_timeout, declined, read_open
from tasks_app.ladder import TOP_LEVEL, Ladder, Prospect, Standing, Step
from tasks_app.models import DeskEvent, Question
from tasks_app.transition import climbing as plans
from tasks_app.transition import steps

# Who did it, when nobody did.
CLOCK = "system:ladder"
_KINDS = {
    Step.CLIMB: (Internal.DESK_CLIMB, DeskEvent.Kind.CLIMBED),
    Step.REMIND: (Internal.DESK_REMIND, DeskEvent.Kind.REMINDED),
    Step.DUE_SOON: (Internal.DESK_DUE_SOON, DeskEvent.Kind.DUE_SOON),
}


def prospects(question: Question, ladder: Ladder | None = None) -> list[Prospect]:
    """What will happen when, while nobody answers; the last one is the rejection.

    By the rules that the question was asked under, unless others are given.
    """
    standing = rules.standing_of(question)
    return rules.prospects(standing, ladder or ladder_of(question))


def advance(question: Question) -> None:
    """What the clock owes a question: a reminder, the next level, its end (G42).

    Nothing when somebody moved it meanwhile; ALREADY_DECIDED when it is closed.
    """
    if question.ladder is None:
        decide_by_timeout(question)
        return
    now = timezone.now()

    def plan(task: Snapshot) -> Change:
        asked = read_open(question)
        ladder, standing = ladder_of(asked), rules.standing_of(asked)
        due = rules.due_step(standing, ladder, now)
        if due is None:
            next_at = rules.next_step(standing, ladder).moment
            return steps.with_after(steps.begin(task), due_at=next_at)
        if due.what is Step.REJECT:
            return declined(task, asked, now)
        return _stepped(task, asked, due, now)

    lifecycle.change(question.task_id, plan)


def escalate(shown: Shown, comment: str, user: User) -> None:
    """Give the question to the next level, which gets the time that its rule gives.

    Raises what `claim` does, TOP_LEVEL, and DECISION_INVALID without a comment.
    """
    now = timezone.now()
    question, _ = open_for(shown, user, now)
    comment = check_comment(comment, required=True)

    def plan(task: Snapshot) -> Change:
        asked, _ = open_for(shown, user, now)
        if asked.level >= TOP_LEVEL:
            raise SynapseError(Code.TOP_LEVEL, details={"level": asked.level})
        ladder, level = ladder_of(asked), asked.level + 1
        end = rules.end_of(ladder, level, now, asked.answer_by)
        standing = Standing(level=level, since=now, stepped_at=now, due_at=end)
        return plans.step(
            task,
            Internal.DESK_ESCALATE,
            _placed(standing),
            _told(
                asked,
                standing,
                DeskEvent.Kind.ESCALATED,
                by=address(user),
                at=now,
                comment=comment,
            ),
            next_at=rules.next_step(standing, ladder).moment,
            policy=lifecycle.policy(),
            free=True,
        )

    lifecycle.change(question.task_id, plan)


def _stepped(task: Snapshot, asked: Question, due: Prospect, now: datetime) -> Change:
    climbs = due.what is Step.CLIMB
    before = rules.standing_of(asked)
    standing = Standing(
        level=due.level,
        # As it was foretold, so that what the page says of later holds.
        since=due.moment if climbs else before.since,
        stepped_at=now,
        due_at=before.due_at,
    )
    kind, event = _KINDS[due.what]
    return plans.step(
        task,
        kind,
        _placed(standing),
        _told(asked, standing, event, by=CLOCK, at=now),
        next_at=rules.next_step(standing, ladder_of(asked)).moment,
        policy=lifecycle.policy(),
        free=climbs and not _keeps_it(asked, due.level),
    )


def _keeps_it(asked: Question, level: int) -> bool:
    """Whether its holder may decide it there."""
    if asked.claimed_by is None:
        return False
    there = copy.copy(asked)
    there.level = level
    return rights.may_decide(asked.claimed_by, there)


def _placed(standing: Standing) -> Placed:
    return Placed(
        level=standing.level,
        level_since=standing.since,
        stepped_at=standing.stepped_at,
        due_at=standing.due_at,
    )


def _told(
    asked: Question,
    standing: Standing,
    kind: DeskEvent.Kind,
    *,
    by: str,
    at: datetime,
    comment: str = "",
) -> Told:
    return Told(
        kind=kind,
        level=standing.level,
        from_level=asked.level,
        groups=ladder_of(asked).at(standing.level).groups,
        by=by,
        due_at=standing.due_at,
        at=at,
        comment=comment,
    )
