"""Callers: name and enabled flag are plain fields, everything else is in `secrets`."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse

from tasks_app.admin import door
from tasks_app.admin.caller.forms import KeyForm
from tasks_app.admin.caller.pages import CallerPages
from tasks_app.admin.framework import display
from tasks_app.admin.when import stamp
from tasks_app.models import Caller, CallerKey


class CallerAdmin(CallerPages):
    """The list, and the form of one caller with its keys below."""

    list_display = ("name", "is_enabled", "live_keys", "created")
    search_fields = ("name",)
    ordering = ("name",)
    sortable_by = ("name", "created")
    fields = ("name", "enabled", "id", "created")
    readonly_fields = ("id", "created")
    change_form_outer_after_template = "admin/tasks_app/caller/keys.html"

    def has_change_permission(
        self, request: HttpRequest, obj: Caller | None = None
    ) -> bool:
        """Of the form; the keys below it have rights of their own."""
        return door.may(request, "change_caller")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Caller]:
        """With the number of keys that still work."""
        live = Count("keys", filter=Q(keys__revoked=False))
        return super().get_queryset(request).annotate(live=live)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Mapping[str, object] | None = None,
    ) -> HttpResponse:
        """The form, and below it the keys with their buttons."""
        keys = CallerKey.objects.filter(caller_id=self._id(object_id))
        context: dict[str, Any] = {  # Any: Django's extra context.
            "keys": keys.order_by("revoked", "-created"),
            "key_form": KeyForm(),
            "may_create_key": door.may(request, "add_callerkey"),
            "may_revoke_key": door.may(request, "change_callerkey"),
            "may_rotate": door.may(request, "change_caller"),
            "show_save_and_add_another": False,
        }
        return super().change_view(request, object_id, form_url, context)

    @display("Enabled", boolean=True)
    def is_enabled(self, caller: Caller) -> bool:
        return caller.enabled

    @display("Created", ordering="created_at")
    def created(self, caller: Caller) -> str:
        return stamp(caller.created_at)

    @display("Live keys")
    def live_keys(self, caller: Any) -> int:
        """Any: carries the annotation of `get_queryset`."""
        return int(caller.live)
