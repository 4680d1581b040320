"""What the decide page shows of a request, beyond what all requests show."""

from collections.abc import Mapping

from django.http import HttpRequest
from django.utils import timezone

from agents_app.protocol.payloads import Action
from tasks_app import desk
from tasks_app.admin import door, moods
from tasks_app.admin.human.form import DecisionForm
from tasks_app.admin.human.record import record_of
from tasks_app.admin.outcomes import outcome_of
from tasks_app.admin.tree import tree
from tasks_app.desk.deadlines import is_late
from tasks_app.desk.deciding import ROLES
from tasks_app.models import Question, QuestionState


def context_of(
    request: HttpRequest, question: Question, form: DecisionForm
) -> dict[str, object]:
    """A form for whoever may use it, a record of a closed question."""
    user = door.operator(request)
    may_decide = question.owner == "us" and desk.may_decide(user, question)
    is_mine = question.claimed_by_id == user.pk
    others = question.claimed_by_id is not None and not is_mine
    outcome, word = outcome_of(question)
    may_answer = question.is_open and not is_late(question, timezone.now())
    return {
        "form": form,
        "role": ROLES[question.level],
        "reason": tree(_but_summary(question.reason)),
        "suggested": tree(question.suggested_value),
        "may_decide": may_decide,
        "usable": may_answer and may_decide and not others,
        "is_mine": is_mine,
        "may_release": may_answer and others and desk.may_release(user),
        "record": record_of(question),
        "outcome": word,
        "mood": moods.OUTCOME.get(outcome, ""),
        "newer": _newer(question),
        "approve": form.verdict_option(Action.APPROVE),
        "reject": form.verdict_option(Action.REJECT),
    }


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
