"""Lists take the parameters and the ids that they offer, and no others (G50).

Django takes any lookup on a list's own columns: `?payload__regex=` would scan for it,
and most lookups fail on some value.
"""

from typing import TypeVar

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from tasks_app.admin.framework import ModelAdmin

M = TypeVar("M", bound=Model)
# What Django's own filters on a column put into their links, and what people type.
_ENDINGS = ("", "__exact", "__isnull", "__id__exact")


class OfferedLookups(ModelAdmin[M]):
    """A list whose address may name its filters only; anything else is a 400."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Django would ask the database for whatever was selected."""
        for text in request.POST.getlist(ACTION_CHECKBOX_NAME):
            self._check_id(text)
        return super().changelist_view(request, extra_context)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Whether one of the filters reads this parameter."""
        filters = self.get_list_filter(request)
        return any(lookup in _parameters_of(one) for one in filters)

    def _check_id(self, text: str) -> None:
        key = self.opts.pk
        try:
            key.run_validators(key.to_python(text))
        except ValidationError as none:
            raise BadRequest from none


def _parameters_of(list_filter: object) -> list[str]:
    if isinstance(list_filter, str):
        return [f"{list_filter}{ending}" for ending in _ENDINGS]
    return [str(getattr(list_filter, "parameter_name", ""))]
