"""Decisions: one per question, by somebody with the right, on what was shown."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Decision, HumanDecision
from tasks_app import lifecycle
from tasks_app.changes import Change, Snapshot
from tasks_app.desk import rights, voting
from tasks_app.desk.deadlines import is_late
from tasks_app.desk.naming import UNNAMED, Named, check_named
from tasks_app.desk.offers import check_offered
from tasks_app.desk.opening import Shown, open_for, open_to_anyone
from tasks_app.desk.rights import ROLES, Capacity, address, may_decide, may_release
from tasks_app.desk.timeouts import TIMEOUT, decide_by_timeout, task_name, too_late
from tasks_app.desk.voting import Tally
from tasks_app.models import Question, QuestionState
from tasks_app.transition import desk as plans
from tasks_app.transition import steps
from tasks_app.transition import votes as vote_plans

# Also by the names that the doors know them by.
__all__ = [
    "ROLES",
    "TIMEOUT",
    "Outcome",
    "Shown",
    "address",
    "change_by_peer",
    "claim",
    "decide",
    "decide_by_timeout",
    "may_decide",
    "may_release",
    "release",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an answer: a decision, or a vote that waits for others."""

    decided: bool
    tally: Tally


def claim(shown: Shown, user: User) -> None:
    """Take a decision in hand; nothing happens when it already is.

    A deputy takes over what the absent person holds. Raises FORBIDDEN, OWN_STAFF,
    ALREADY_DECIDED (also by the deadline), QUESTION_CHANGED, QUESTION_CLIMBED, or
    CLAIMED_BY_OTHER with who and when.
    """
    now = timezone.now()
    question, _ = open_for(shown, user, now)
    if question.claimed_by_id == user.pk:
        return

    def plan(task: Snapshot) -> Change:
        holder = open_for(shown, user, now)[0].claimed_by
        if holder is not None and holder.pk == user.pk:
            return steps.begin(task)  # A double click: the other one was faster.
        return plans.claim(
            task,
            user_id=user.pk,
            by=address(user),
            now=now,
            policy=lifecycle.policy(),
            held_by=address(holder) if holder else None,
        )

    lifecycle.change(question.task_id, plan)


def release(shown: Shown, user: User) -> None:
    """Give a claimed decision back to the inbox: one's own, or with `may_release` any.

    A holder who is absent must not block a decision. Raises like `claim`.
    """
    now = timezone.now()

    def find() -> Question:
        if may_release(user):
            return open_to_anyone(shown, now)
        return open_for(shown, user, now)[0]

    question = find()
    if question.claimed_by is None:
        return

    def plan(task: Snapshot) -> Change:
        holder = find().claimed_by
        if holder is None:
            return steps.begin(task)
        return plans.release(
            task,
            by=address(user),
            held_by=address(holder),
            now=now,
            policy=lifecycle.policy(),
        )

    lifecycle.change(question.task_id, plan)


def decide(
    shown: Shown, decision: Decision, user: User, *, on_behalf_of: User | None = None
) -> Outcome:
    """Answer the question (A2A 6.10). The agent goes on with it, or others vote too.

    Where the rules want several people, this is a vote, until there are enough of them.
    Who has no right of their own acts as a deputy; `on_behalf_of` says for whom.

    Raises what `claim` does, with who and when; DECISION_INVALID for an answer that was
    not offered; ALREADY_VOTED, and VOTES_DIFFER for an approval of something else than
    the votes so far. After the deadline the question is declined instead, as the sweep
    would, and this is refused.
    """
    now = timezone.now()
    question, _ = open_for(shown, user, now, on_behalf_of)
    check_offered(question, decision)
    came_to: list[Outcome] = []

    def plan(task: Snapshot) -> Change:
        asked, acting = open_for(shown, user, now, on_behalf_of)
        if not rights.rung_of(asked).votes:
            came_to.append(Outcome(decided=True, tally=voting.single(decision)))
            return _decided(task, asked, decision, acting, now)
        change, tally = _voted(task, asked, decision, acting, now)
        came_to.append(Outcome(decided=change.closed is not None, tally=tally))
        return change

    lifecycle.change(question.task_id, plan)
    return came_to[-1]


def _decided(
    task: Snapshot,
    question: Question,
    decision: Decision,
    acting: Capacity,
    now: datetime,
) -> Change:
    return plans.decide(
        task,
        _words(question, decision, acting),
        by=address(acting.user),
        now=now,
        policy=lifecycle.policy(),
        question_id=question.message_id,
    )


def _voted(
    task: Snapshot,
    question: Question,
    decision: Decision,
    acting: Capacity,
    now: datetime,
) -> tuple[Change, Tally]:
    """The vote, and the decision if it is the last one that it takes."""
    earlier = voting.counted(question)
    if voting.is_repeat(question, decision, acting):
        return steps.begin(task), voting.tally_of(question, earlier)
    voting.check_agrees(earlier, decision)
    ballot = voting.ballot(question, decision, acting, now)
    together = [*voting.ballots(earlier), voting.as_ballot(ballot)]
    tally = voting.tally_of(question, earlier, decision)
    by, policy = address(acting.user), lifecycle.policy()
    if not tally.settled:
        return vote_plans.vote(task, ballot, by=by, policy=policy), tally
    change = plans.decide(
        task,
        _words(question, voting.final(together, decision), acting),
        by=by,
        now=now,
        policy=policy,
        question_id=question.message_id,
        cast=ballot,
        ballots=together,
    )
    return change, tally


def _words(question: Question, decision: Decision, acting: Capacity) -> HumanDecision:
    return HumanDecision(
        task_id=task_name(question),
        request_id=question.request_id,
        version=question.wire_version,
        decision=decision,
        decided_by=rights.decided_by(acting, question),
    )


def change_by_peer(
    task: Snapshot,
    words: HumanDecision,
    *,
    by: str,
    now: datetime,
    named: Named = UNNAMED,
) -> Change:
    """The peer that asked for the task answers its question (decisions 13).

    ALREADY_DECIDED when none is open or its time is over, QUESTION_CHANGED when it
    answers another one, FORBIDDEN when the decision is our desk's, DECISION_INVALID.
    """
    question = Question.objects.filter(
        task_id=task.id, kind=Question.Kind.HUMAN, state=QuestionState.OPEN
    ).first()
    if question is None:
        code = Code.TASK_ENDED if task.ended else Code.ALREADY_DECIDED
        raise SynapseError(code, details={"state": str(task.state)})
    if question.owner != "peer":
        raise SynapseError(Code.FORBIDDEN)
    check_named(question, named)
    if is_late(question, now):
        raise too_late(question)
    check_offered(question, words.decision)
    return plans.decide(
        task,
        words,
        by=by,
        now=now,
        policy=lifecycle.policy(),
        question_id=question.message_id,
    )
