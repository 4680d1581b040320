"""Lists take the parameters that they offer, and no others (G50).

Django takes any lookup on a list's own columns: `?payload__regex=` would scan for it,
and most lookups fail on some value.
"""

from typing import TypeVar

from django.db.models import Model
from django.http import HttpRequest

from tasks_app.admin.framework import ModelAdmin

M = TypeVar("M", bound=Model)
# What Django's own filters on a column put into their links, and what people type.
_ENDINGS = ("", "__exact", "__isnull", "__id__exact")


class OfferedLookups(ModelAdmin[M]):
    """A list whose address may name its filters only; anything else is a 400."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Whether one of the filters reads this parameter."""
        filters = self.get_list_filter(request)
        return any(lookup in _parameters_of(one) for one in filters)


def _parameters_of(list_filter: object) -> list[str]:
    if isinstance(list_filter, str):
        return [f"{list_filter}{ending}" for ending in _ENDINGS]
    return [str(getattr(list_filter, "parameter_name", ""))]
