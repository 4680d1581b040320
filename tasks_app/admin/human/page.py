"""What the decide page shows: the question, its task, and what may be done now."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from agents_app.protocol.payloads import Action
from tasks_app import desk
from tasks_app.admin import door, refusals
from tasks_app.admin.human.form import DecisionForm
from tasks_app.admin.human.record import record_of
from tasks_app.admin.summary import summary_of
from tasks_app.admin.tree import tree
from tasks_app.admin.when import due, span
from tasks_app.desk.deciding import ROLES
from tasks_app.models import Attachment, Question, QuestionState

if TYPE_CHECKING:
    from tasks_app.admin.human.deciding import DecidingAdmin

TEMPLATE = "admin/tasks_app/humanrequest/decide.html"


def page_of(
    admin: "DecidingAdmin",
    request: HttpRequest,
    question: Question,
    form: DecisionForm,
    *,
    status: int = 200,
    refusal: str = "",
) -> TemplateResponse:
    """The page; a form for whoever may use it, a record of a closed question."""
    now = timezone.now()
    user = door.operator(request)
    return admin.page(
        request,
        TEMPLATE,
        title=summary_of(question),
        original=question,
        status=status,
        question=question,
        task=question.task,
        form=form,
        refusal=refusal,
        role=ROLES[question.level],
        due=due(question.due_at, now),
        age=span(now - question.created_at),
        reason=tree(_but_summary(question.reason)),
        suggested=tree(question.suggested_value),
        payload=tree(question.task.payload),
        files=list(Attachment.objects.filter(task=question.task_id)),
        may_download=door.may(request, "view_attachment"),
        may_see_task=door.may(request, "view_task"),
        may_decide=desk.may_decide(user, question),
        usable=_usable(question, user.pk) and desk.may_decide(user, question),
        is_mine=question.claimed_by_id == user.pk,
        record=record_of(question),
        ending="" if question.is_open else refusals.ending(question, user),
        newer=_newer(question),
        approve=form.verdict_option(Action.APPROVE),
        reject=form.verdict_option(Action.REJECT),
    )


def _usable(question: Question, user_id: int) -> bool:
    """Open, ours, and in nobody else's hand."""
    ours = question.is_open and question.owner == "us"
    return ours and question.claimed_by_id in (None, user_id)


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
