"""Out of office: people name their own deputies, and superusers anybody's.

A deputy borrows rights, and only a superuser hands out those of others (`people`).
"""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import ForeignKey, Q, QuerySet
from django.forms import ModelChoiceField
from django.http import HttpRequest

from tasks_app.admin import door
from tasks_app.admin.framework import display
from tasks_app.admin.lookups import OfferedLookups
from tasks_app.admin.when import stamp
from tasks_app.models import Absence


class AbsenceAdmin(OfferedLookups[Absence]):
    """Whoever may decide something sees and edits what concerns them."""

    list_display = ("user", "deputy", "begins", "ends", "at_levels")
    list_select_related = ("user", "deputy")
    search_fields = ("user__username", "deputy__username")
    ordering = ("-starts_at", "-id")
    sortable_by = ("begins", "ends")
    fields = (
        "user",
        "deputy",
        "starts_at",
        "ends_at",
        "level_1",
        "level_2",
        "level_3",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Absence]:
        """One's own, and those in which one is the deputy, unless one may see all."""
        rows = super().get_queryset(request)
        if super().has_view_permission(request):
            return rows
        user = door.operator(request)
        return rows.filter(Q(user=user) | Q(deputy=user))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As for looking."""
        return self.has_view_permission(request)

    def has_view_permission(
        self, request: HttpRequest, obj: Absence | None = None
    ) -> bool:
        """Deciders, also those who decide as deputies only."""
        if super().has_view_permission(request, obj):
            return True
        return self._has_rights(request) or self._is_deputy(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Who has rights can lend them."""
        return self._has_rights(request)

    def has_change_permission(
        self, request: HttpRequest, obj: Absence | None = None
    ) -> bool:
        """One's own only."""
        if request.user.is_superuser:
            return True
        mine = obj is None or obj.user_id == request.user.pk
        return mine and self._has_rights(request)

    def has_delete_permission(
        self, request: HttpRequest, obj: Absence | None = None
    ) -> bool:
        """As for editing."""
        return self.has_change_permission(request, obj)

    def formfield_for_foreignkey(
        self,
        db_field: ForeignKey[Any, Any],  # Any: Django's stubs know no narrower one.
        request: HttpRequest,
        **kwargs: Any,
    ) -> "ModelChoiceField[Any] | None":
        """Nobody but a superuser can choose who is away. Any: as Django declares it."""
        people = User.objects.filter(is_active=True).order_by("username")
        if db_field.name == "deputy":
            kwargs["queryset"] = people.filter(is_staff=True)
        elif not request.user.is_superuser:
            user = door.operator(request)
            kwargs["queryset"] = people.filter(pk=user.pk)
            kwargs["initial"] = user.pk
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    @display("From", ordering="starts_at")
    def begins(self, absence: Absence) -> str:
        return stamp(absence.starts_at)

    @display("Until", ordering="ends_at")
    def ends(self, absence: Absence) -> str:
        return stamp(absence.ends_at)

    @display("Levels")
    def at_levels(self, absence: Absence) -> str:
        return ", ".join(map(str, absence.levels))

    def _has_rights(self, request: HttpRequest) -> bool:
        """Of their own: what was lent to them they cannot lend."""
        return any(door.may(request, right) for right in door.DECIDE.values())

    def _is_deputy(self, request: HttpRequest) -> bool:
        """Nobody is before the login."""
        return Absence.objects.filter(deputy=request.user.pk).exists()
