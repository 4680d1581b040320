"""Own staff: which accounts belong to the people behind a caller.

Added and taken off, never changed; and nobody takes off themselves, which would let
them approve what they submitted.
"""

from django.http import HttpRequest

from tasks_app.admin.framework import display
from tasks_app.admin.lookups import OfferedLookups
from tasks_app.models import CallerStaff


class StaffAdmin(OfferedLookups[CallerStaff]):
    """One line per account and caller."""

    list_display = ("user", "for_caller")
    list_select_related = ("user", "caller")
    list_filter = ("caller",)
    search_fields = ("user__username", "caller__name")
    ordering = ("caller__name", "user__username")
    sortable_by = ()
    fields = ("caller", "user")

    def has_change_permission(
        self, request: HttpRequest, obj: CallerStaff | None = None
    ) -> bool:
        """A line that named somebody else would be another one."""
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: CallerStaff | None = None
    ) -> bool:
        """Of others."""
        allowed = super().has_delete_permission(request, obj)
        itself = obj is not None and obj.user_id == request.user.pk
        return allowed and (not itself or bool(request.user.is_superuser))

    @display("Works for")
    def for_caller(self, line: CallerStaff) -> str:
        return line.caller.name
