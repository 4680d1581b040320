"""List filters that cost nothing: their choices come from no scan of a large table."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from agents_app import registry
from agents_app.protocol.states import PublicStatus, TaskState, public_status
from tasks_app.admin.framework import ModelAdmin
from tasks_app.desk.deciding import ROLES
from tasks_app.models import DeliveryState, QuestionState

# Any below: one filter serves the lists of several models.
Rows = QuerySet[Any]
Choice = tuple[str, str]


class BoxFilter(SimpleListFilter):
    """Which of several boxes to look into; the first needs no parameter."""

    title = "box"
    parameter_name = "box"
    boxes: ClassVar[tuple[Choice, ...]]

    def lookups(
        self, request: HttpRequest, model_admin: ModelAdmin[Any]
    ) -> list[Choice]:
        """All but the default."""
        return list(self.boxes[1:])

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Any: Django's choice dict. The default box stands where "All" would."""
        for place, choice in enumerate(super().choices(changelist)):
            yield {**choice, "display": self.boxes[0][1]} if place == 0 else choice


class InboxFilter(BoxFilter):
    """The boxes of the desk; searching looks into all of them unless one is named."""

    boxes = (
        ("open", "All open"),
        ("mine", "Mine"),
        ("unclaimed", "Unclaimed"),
        ("overdue", "Overdue"),
        ("decided", "Decided"),
    )

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        """Only decided ones are not open. What a peer's people decide is in no box."""
        box = self.value()
        if box is None and request.GET.get("q"):
            return queryset
        queryset = queryset.filter(owner="us")
        if box == "decided":
            return queryset.exclude(state=QuestionState.OPEN)
        rows = queryset.filter(state=QuestionState.OPEN)
        match box:
            case "mine":
                return rows.filter(claimed_by=request.user)
            case "unclaimed":
                return rows.filter(claimed_by=None)
            case "overdue":
                return rows.filter(due_at__lte=timezone.now())
            case _:
                return rows


class InfoFilter(BoxFilter):
    """What is still missing, or what has been settled."""

    boxes = (("open", "Missing"), ("closed", "Settled"))

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        """Open ones unless the others are asked for."""
        if self.value() is None and request.GET.get("q"):
            return queryset
        queryset = queryset.filter(owner="us")
        if self.value() == "closed":
            return queryset.exclude(state=QuestionState.OPEN)
        return queryset.filter(state=QuestionState.OPEN)


class LevelFilter(SimpleListFilter):
    """The three levels; Django's own filter would look for them in all rows."""

    title = "level"
    parameter_name = "level"

    def lookups(
        self, request: HttpRequest, model_admin: ModelAdmin[Any]
    ) -> list[Choice]:
        """Number and role."""
        return [(str(level), f"{level} {role}") for level, role in ROLES.items()]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        """Nothing for a level that there is not."""
        if self.value() is None:
            return queryset
        known = [level for level in ROLES if str(level) == self.value()]
        return queryset.filter(level__in=known)


class TaskTypeFilter(SimpleListFilter):
    """The types of this node's handlers."""

    title = "task type"
    parameter_name = "type"
    path: ClassVar[str] = "task__task_type"

    def lookups(
        self, request: HttpRequest, model_admin: ModelAdmin[Any]
    ) -> list[Choice]:
        """As the registry knows them."""
        names = sorted(spec.task_type for spec in registry.enabled_specs())
        return [(name, name) for name in names]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        """Any name: a type may have gone since its tasks came."""
        name = self.value()
        return queryset.filter(**{self.path: name}) if name else queryset


class DeliveryFilter(BoxFilter):
    """Callbacks by where they stand."""

    boxes = (
        ("all", "All"),
        (DeliveryState.WAITING.value, "Waiting"),
        (DeliveryState.DEAD.value, "Dead letters"),
        (DeliveryState.DELIVERED.value, "Delivered"),
        (DeliveryState.SUPERSEDED.value, "Superseded"),
    )

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        return queryset.filter(state=self.value()) if self.value() else queryset


class StatusFilter(SimpleListFilter):
    """The five statuses a caller sees, each a set of states."""

    title = "status"
    parameter_name = "status"

    def lookups(
        self, request: HttpRequest, model_admin: ModelAdmin[Any]
    ) -> list[Choice]:
        """P2A chapter 4, in its order."""
        return [(status.value, status.value) for status in PublicStatus]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        """Nothing for a status that there is not."""
        if not (wanted := self.value()):
            return queryset
        states = [state for state in TaskState if public_status(state) == wanted]
        return queryset.filter(state__in=states)


class TypeOfTaskFilter(TaskTypeFilter):
    """For the list of tasks themselves."""

    path = "task_type"
