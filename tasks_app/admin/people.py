"""Users and groups: Django's own admins in the look of the console.

Only a superuser hands out rights. Whoever else may edit users edits those who have no
right that they lack themselves: a password or an e-mail address is worth all the
rights of its account (G43). What is refused is on record, as everywhere (`net`).
"""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.db.models import Q
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from tasks_app.admin import door
from tasks_app.admin.framework import display
from tasks_app.admin.lookups import OfferedLookups
from tasks_app.admin.when import stamp

if TYPE_CHECKING:
    AccountAdmin = DjangoUserAdmin[User]
else:
    AccountAdmin = DjangoUserAdmin

_RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")
# A decision names its user: whoever takes a name over speaks for its past, too.
_IDENTITY = ("username", "last_login", "date_joined")


class PersonAdmin(AccountAdmin, OfferedLookups[User]):
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
        """Rights and names are read-only for all but superusers."""
        fields = tuple(super().get_readonly_fields(request, obj))
        if _is_superuser(request) or obj is None:
            return fields
        return (*fields, *_RIGHTS, *_IDENTITY)

    def has_change_permission(
        self, request: HttpRequest, obj: User | None = None
    ) -> bool:
        """Nobody edits those above them, nor sets their password."""
        allowed = super().has_change_permission(request, obj)
        return allowed and _is_not_above(request, obj)

    def has_delete_permission(
        self, request: HttpRequest, obj: User | None = None
    ) -> bool:
        """As for editing."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and _is_not_above(request, obj)


class TeamAdmin(DjangoGroupAdmin, OfferedLookups[Group]):
    """Groups carry the rights of operators."""

    def has_change_permission(
        self, request: HttpRequest, obj: Group | None = None
    ) -> bool:
        """A group hands out rights to its members."""
        return super().has_change_permission(request, obj) and _is_superuser(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """As for editing."""
        return super().has_add_permission(request) and _is_superuser(request)

    def has_delete_permission(
        self, request: HttpRequest, obj: Group | None = None
    ) -> bool:
        """As for editing."""
        return super().has_delete_permission(request, obj) and _is_superuser(request)


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_superuser)


def _is_not_above(request: HttpRequest, user: User | None) -> bool:
    """Whether the account opens nothing that this person may not do anyway."""
    if user is None or _is_superuser(request):
        return True
    return not user.is_superuser and _rights_of(user) <= _own_rights(request)


def _rights_of(user: User) -> set[str]:
    """Also those of an account that is switched off: it can be switched on again."""
    direct, by_group = Q(user=user), Q(group__user=user)
    names = Permission.objects.filter(direct | by_group).values_list(
        "content_type__app_label", "codename"
    )
    return {f"{app}.{codename}" for app, codename in names}


def _own_rights(request: HttpRequest) -> set[str]:
    return set(door.operator(request).get_all_permissions())


def register() -> None:
    """In place of Django's own."""
    admin.site.unregister([User, Group])
    admin.site.register(User, PersonAdmin)
    admin.site.register(Group, TeamAdmin)
