"""Attempts beyond somebody's rights stay on record (G43), in the admin's history."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest
from django.urls import ResolverMatch

from tasks_app.admin.framework import ModelAdmin

# Any: the page of whichever model.
Page = ModelAdmin[Any]
# What Django and our pages call the id in their addresses.
_ID = ("object_id", "pk", "id")


def record(request: HttpRequest, match: ResolverMatch) -> None:
    """Who tried to change what; looking is no attempt."""
    user, page = request.user, _page_of(match)
    if request.method != "POST" or page is None or not isinstance(user, User):
        return
    ids = (str(match.kwargs[name]) for name in _ID if name in match.kwargs)
    object_id = next(ids, None)
    LogEntry.objects.create(
        user=user,
        content_type=ContentType.objects.get_for_model(
            page.model, for_concrete_model=False
        ),
        object_id=object_id,
        object_repr=f"{page.opts.verbose_name} {object_id or ''}".strip()[:200],
        action_flag=CHANGE,
        change_message=f"Refused: no right to {_deed(match, page)}.",
    )


def _page_of(match: ResolverMatch) -> Page | None:
    """By the name of the address, such as `tasks_app_task_cancel`."""
    name = match.url_name or ""
    pages = admin.site._registry.values()
    return next((one for one in pages if name.startswith(_prefix(one))), None)


def _deed(match: ResolverMatch, page: Page) -> str:
    return (match.url_name or "").removeprefix(_prefix(page)).replace("_", " ")


def _prefix(page: Page) -> str:
    return f"{page.opts.app_label}_{page.opts.model_name}_"
