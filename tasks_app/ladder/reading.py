"""From rows to rules: those for a new question, and those that a question keeps."""

from tasks_app.ladder.plan import Standing
from tasks_app.ladder.rungs import TOP_LEVEL, Ladder, Rung, Then
from tasks_app.models import Question, RungPolicy
from tasks_app.models.rung import ANY_TYPE


def ladder_for(task_type: str, answer_s: int) -> Ladder | None:
    """The rules of a task type, level by level its own before those for all types.

    A level without a rule has `answer_s` seconds and rejects. None when there is no
    rule at all.
    """
    rows = RungPolicy.objects.filter(task_type__in=[task_type, ANY_TYPE])
    found: dict[int, RungPolicy] = {}
    for row in rows.prefetch_related("tell"):
        if row.level not in found or row.task_type != ANY_TYPE:
            found[row.level] = row
    if not found:
        return None
    plain = Ladder.without_rules(answer_s)
    levels = range(1, TOP_LEVEL + 1)
    return Ladder(
        rungs=tuple(_rung(found[n]) if n in found else plain.at(n) for n in levels)
    )


def ladder_of(question: Question, answer_s: int) -> Ladder:
    """The rules that a question was asked under; where there were none, the default."""
    if question.ladder is None:
        return Ladder.without_rules(answer_s)
    return Ladder.parse(question.ladder)


def standing_of(question: Question) -> Standing:
    """Where it stands."""
    since = question.level_since or question.created_at
    return Standing(
        level=question.level,
        since=since,
        stepped_at=question.stepped_at or since,
        due_at=question.due_at,
    )


def _rung(row: RungPolicy) -> Rung:
    return Rung(
        level=row.level,
        answer_s=int(row.answer_within.total_seconds()),
        reminders=row.reminders,
        then=Then(row.then),
        groups=tuple(sorted(group.pk for group in row.tell.all())),
        approvals=row.approvals,
        rejections=row.rejections,
        separate=row.separate,
        deputies=row.deputies,
        rule=str(row),
    )
