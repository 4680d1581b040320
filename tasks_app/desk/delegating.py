"""From hand to hand: whoever holds a question, or finds it free, gives it to somebody.

Who gets it decides in their own right and name; `decided_by.via` says "delegation".
"""

from django.contrib.auth.models import User
from django.utils import timezone

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import lifecycle
from tasks_app.changes import Change, Snapshot, Told
from tasks_app.desk import rights
from tasks_app.desk.offers import check_comment
from tasks_app.desk.opening import Shown, open_for
from tasks_app.desk.rights import address
from tasks_app.models import DeskEvent, Question
from tasks_app.transition import climbing as plans


def delegate(shown: Shown, to: User, comment: str, user: User) -> None:
    """`to` holds the question from now on, and hears of it.

    Raises what `claim` does, NOT_ELIGIBLE when `to` may not decide it, or has it
    already, DECISION_INVALID for a comment that is too long.
    """
    now = timezone.now()
    question, _ = open_for(shown, user, now)
    comment = check_comment(comment)

    def plan(task: Snapshot) -> Change:
        asked, _ = open_for(shown, user, now)
        _check_eligible(asked, to)
        told = Told(
            kind=DeskEvent.Kind.DELEGATED,
            level=asked.level,
            from_level=asked.level,
            groups=(),
            by=address(user),
            due_at=asked.due_at,
            at=now,
            to_user_id=to.pk,
            comment=comment,
        )
        holder = asked.claimed_by
        return plans.delegate(
            task,
            told,
            to=address(to),
            held_by=address(holder) if holder else None,
            policy=lifecycle.policy(),
        )

    lifecycle.change(question.task_id, plan)


def _check_eligible(question: Question, to: User) -> None:
    """Read afresh: their rights may have been cached with a page."""
    known = rights.eligible(question).filter(pk=to.pk).exists()
    if not known or question.claimed_by_id == to.pk:
        details = {"user": to.get_username()}
        raise SynapseError(Code.NOT_ELIGIBLE, details=details)
