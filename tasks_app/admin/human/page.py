"""What the decide page shows of a request, beyond what all requests show."""

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone

from agents_app.protocol.errors import Code
from agents_app.protocol.payloads import Action
from tasks_app import desk
from tasks_app.admin import moods, refusals
from tasks_app.admin.human.acting import Acting
from tasks_app.admin.human.ballots import ballots_of, in_words
from tasks_app.admin.human.foretold import foretold, rule_of
from tasks_app.admin.human.form import DecisionForm
from tasks_app.admin.human.handing import HandingForm
from tasks_app.admin.human.history import history_of
from tasks_app.admin.human.record import record_of
from tasks_app.admin.outcomes import outcome_of
from tasks_app.admin.tree import tree
from tasks_app.desk.deadlines import is_late
from tasks_app.desk.deciding import ROLES
from tasks_app.ladder import TOP_LEVEL
from tasks_app.models import Question, QuestionState


def context_of(
    question: Question, acting: Acting, form: DecisionForm
) -> dict[str, object]:
    """A form for whoever may use it, a record of a closed question."""
    user, now = acting.user, timezone.now()
    ours = question.owner == "us"
    is_mine = question.claimed_by_id == user.pk
    others = question.claimed_by_id is not None and not is_mine
    outcome, word = outcome_of(question)
    may_answer = question.is_open and not is_late(question, now)
    may_decide = ours and acting.refused is None
    usable = may_answer and may_decide and (not others or bool(acting.absent))
    return {
        "form": form,
        "role": ROLES[question.level],
        "reason": tree(_but_summary(question.reason)),
        "suggested": tree(question.suggested_value),
        "acting": acting,
        "may_decide": may_decide,
        "own_staff": _own_staff(question, acting),
        "usable": usable,
        "is_mine": is_mine,
        "may_release": may_answer and others and desk.may_release(user),
        "may_withdraw": may_answer and acting.own_vote is not None,
        "record": record_of(question),
        "outcome": word,
        "mood": moods.OUTCOME.get(outcome, ""),
        "newer": _newer(question),
        "approve": form.verdict_option(Action.APPROVE),
        "reject": form.verdict_option(Action.REJECT),
        "history": history_of(question),
        "top_level": TOP_LEVEL,
        "next_level": question.level + 1,
        **(_ladder(question, now) if ours else {}),
        **({"handing": HandingForm(question, user)} if usable else {}),
    }


def _ladder(question: Question, now: datetime) -> dict[str, object]:
    """The rule, what is to come, and how the vote stands."""
    found: dict[str, object] = {"rule": rule_of(question)}
    if not question.is_open:
        return found
    found["foretold"] = foretold(question, now)
    if desk.rung_of(question).votes:
        found["tally"] = in_words(desk.tally(question))
        found["ballots"] = ballots_of(question, desk.votes_on(question))
    return found


def _own_staff(question: Question, acting: Acting) -> str:
    """Why they cannot decide, if it is for this."""
    if acting.refused is not Code.OWN_STAFF:
        return ""
    return refusals.own_staff(question, acting.user)


def _but_summary(reason: object) -> object:
    """The summary is the headline already."""
    if isinstance(reason, Mapping) and isinstance(reason.get("summary"), str):
        return {key: value for key, value in reason.items() if key != "summary"}
    return reason


def _newer(question: Question) -> Question | None:
    """The question that is open in its place."""
    if question.is_open:
        return None
    return Question.objects.filter(
        task=question.task_id, state=QuestionState.OPEN, kind=Question.Kind.HUMAN
    ).first()
