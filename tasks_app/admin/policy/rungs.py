"""Ladder rules: a row per task type (or `*`) and level."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from tasks_app import ladder, lifecycle
from tasks_app.admin.framework import display
from tasks_app.admin.lookups import OfferedLookups
from tasks_app.admin.when import span
from tasks_app.ladder import Standing, Step
from tasks_app.models import RungPolicy


class RungAdmin(OfferedLookups[RungPolicy]):
    """What is edited here holds for questions that are asked from then on."""

    list_display = (
        "task_type",
        "level",
        "time",
        "reminders",
        "then",
        "needed",
        "separate",
        "deputies",
        "told",
    )
    list_filter = ("level", "then")
    search_fields = ("task_type",)
    ordering = ("task_type", "level")
    sortable_by = ("task_type", "level")
    filter_horizontal = ("tell",)
    readonly_fields = ("silence",)
    fieldsets = (
        (None, {"fields": ("task_type", "level")}),
        (
            "When nobody answers",
            {"fields": ("answer_within", "reminders", "then", "tell", "silence")},
        ),
        (
            "Who decides",
            {"fields": ("approvals", "rejections", "separate", "deputies")},
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[RungPolicy]:
        """With the groups that are told."""
        return super().get_queryset(request).prefetch_related("tell")

    @display("Time to answer", ordering="answer_within")
    def time(self, rule: RungPolicy) -> str:
        return span(rule.answer_within)

    @display("Needed")
    def needed(self, rule: RungPolicy) -> str:
        """Approvals, and rejections where one is not enough."""
        if rule.rejections == 1:
            return str(rule.approvals)
        return f"{rule.approvals}, or {rule.rejections} rejections"

    @display("Who is told")
    def told(self, rule: RungPolicy) -> str:
        return ", ".join(group.name for group in rule.tell.all()) or "—"

    @display("As it is saved now")
    def silence(self, rule: RungPolicy) -> str:
        """What becomes of a question of this type that is asked at this level."""
        if rule._state.adding:
            return "—"
        return in_words(rule)


def in_words(rule: RungPolicy) -> str:
    """`4 h: level 2 · 8 h: rejected`, by all rules that there are for the type."""
    rules = ladder.ladder_for(rule.task_type, lifecycle.policy().answer_s)
    if rules is None:  # Its row was deleted in this moment.
        return "—"
    now = timezone.now()
    end = ladder.end_of(rules, rule.level, now, None)
    asked = Standing(level=rule.level, since=now, stepped_at=now, due_at=end)
    said = {
        Step.REMIND: "reminded",
        Step.CLIMB: "level {}",
        Step.REJECT: "rejected",
    }
    return " · ".join(
        f"{span(coming.moment - now)}: {said[coming.what].format(coming.level)}"
        for coming in ladder.prospects(asked, rules)
    )
