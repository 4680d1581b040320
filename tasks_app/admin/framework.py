"""Unfold, which ships no types, as the type checker shall see it.

Nothing else imports Unfold's classes and decorators (its widgets aside).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.core.paginator import Paginator as DjangoPaginator
from django.http import HttpRequest
from unfold import decorators

F = TypeVar("F", bound=Callable[..., object])

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as ModelAdmin
    from django.contrib.admin.views.main import ChangeList as ChangeList

    # Any: the rows of whichever list it pages.
    Paginator = DjangoPaginator[Any]
else:
    from django.contrib.admin import ModelAdmin as DjangoAdmin
    from unfold.admin import ModelAdmin as UnfoldAdmin
    from unfold.views import ChangeList as ChangeList

    Paginator = DjangoPaginator

    class ModelAdmin(UnfoldAdmin):
        """For the type checker this is Django's generic class."""

        def __class_getitem__(cls, model: object) -> type:
            return cls

        def get_action_choices(
            self,
            request: HttpRequest,
            default_choices: list[tuple[str, str]] | None = None,
            action_location: object = None,
        ) -> list[tuple[str, str]]:
            """Unfold's lacks the location that Django 6.1 passes and insists on."""
            choices = default_choices or [("", "Select action")]
            where = {"action_location": action_location} if action_location else {}
            return DjangoAdmin.get_action_choices(self, request, choices, **where)


def display(
    description: str,
    *,
    ordering: str | None = None,
    boolean: bool | None = None,
    label: Mapping[Any, str] | None = None,
) -> Callable[[F], F]:
    """A column. `label` colours it: value → info, success, warning or danger.

    Any: whatever the column's values are.
    """
    decorator = decorators.display(
        description=description, ordering=ordering, boolean=boolean, label=label
    )
    return cast(Callable[[F], F], decorator)


def action(description: str, *, permissions: Sequence[str]) -> Callable[[F], F]:
    """Something to do with the selected rows, by POST; names `has_…_permission`."""
    decorator = decorators.action(description=description, permissions=permissions)
    return cast(Callable[[F], F], decorator)
