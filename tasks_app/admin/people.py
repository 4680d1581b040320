"""Users and groups: Django's own admins in the look of the console.

Only a superuser hands out rights; whoever else may edit users cannot raise anybody.
"""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from tasks_app.admin.framework import ModelAdmin, display
from tasks_app.admin.when import stamp

if TYPE_CHECKING:
    AccountAdmin = DjangoUserAdmin[User]
else:
    AccountAdmin = DjangoUserAdmin

_RIGHTS = ("is_superuser", "groups", "user_permissions")


class PersonAdmin(AccountAdmin, ModelAdmin[User]):
    """Accounts of operators and administrators."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_superuser", "seen")

    @display("Last login", ordering="last_login")
    def seen(self, user: User) -> str:
        return stamp(user.last_login) if user.last_login else "—"

    def get_readonly_fields(
        self, request: HttpRequest, obj: User | None = None
    ) -> tuple[str, ...]:
        """Rights are read-only for all but superusers."""
        fields = tuple(super().get_readonly_fields(request, obj))
        return fields if _is_superuser(request) else (*fields, *_RIGHTS)

    def has_change_permission(
        self, request: HttpRequest, obj: User | None = None
    ) -> bool:
        """Nobody below a superuser edits one, nor sets their password."""
        allowed = super().has_change_permission(request, obj)
        return allowed and (_is_superuser(request) or not (obj and obj.is_superuser))

    def has_delete_permission(
        self, request: HttpRequest, obj: User | None = None
    ) -> bool:
        """As for editing."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (_is_superuser(request) or not (obj and obj.is_superuser))


class TeamAdmin(DjangoGroupAdmin, ModelAdmin[Group]):
    """Groups carry the rights of operators."""

    def has_change_permission(
        self, request: HttpRequest, obj: Group | None = None
    ) -> bool:
        """A group hands out rights to its members."""
        return super().has_change_permission(request, obj) and _is_superuser(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """As for editing."""
        return super().has_add_permission(request) and _is_superuser(request)


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_superuser)


def register() -> None:
    """In place of Django's own."""
    admin.site.unregister([User, Group])
    admin.site.register(User, PersonAdmin)
    admin.site.register(Group, TeamAdmin)
