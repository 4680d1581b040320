"""What stands around the pages: sidebar, tabs, stylesheet; called by Unfold."""

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse

from agents_app.models import Agent
from tasks_app.admin import waiting
from tasks_app.admin.filters import BoxFilter, DeliveryFilter, InboxFilter, InfoFilter
from tasks_app.models import (
    Absence,
    Caller,
    CallerStaff,
    Delivery,
    HumanRequest,
    InfoRequest,
    RungPolicy,
    Task,
)

# Any: Unfold's own dictionaries.
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Link:
    model: type[Model]
    title: str
    icon: str


_GROUPS: dict[str, tuple[_Link, ...]] = {
    "Desk": (
        _Link(HumanRequest, "HiL requests", "approval_delegation"),
        _Link(InfoRequest, "Info requests", "quiz"),
        _Link(Absence, "Out of office", "event_busy"),
    ),
    "Work": (
        _Link(Task, "Tasks", "checklist"),
        _Link(Delivery, "Callbacks", "outgoing_mail"),
    ),
    "Access": (
        _Link(Caller, "Callers", "key"),
        _Link(Agent, "Agents", "smart_toy"),
        _Link(User, "Users", "person"),
        _Link(Group, "Groups", "group"),
        _Link(RungPolicy, "Ladder", "stairs"),
        _Link(CallerStaff, "Own staff", "badge"),
    ),
}
_BOXES: tuple[tuple[type[Model], type[BoxFilter]], ...] = (
    (HumanRequest, InboxFilter),
    (InfoRequest, InfoFilter),
    (Delivery, DeliveryFilter),
)


def stylesheet(request: HttpRequest) -> str:
    """Beside Unfold's own."""
    return static("tasks_app/console.css")


def script(request: HttpRequest) -> str:
    """Beside Unfold's own; every page works without it."""
    return static("tasks_app/console.js")


def icon(request: HttpRequest) -> str:
    """What the browser's tab shows."""
    return static("tasks_app/icon.svg")


def sidebar(request: HttpRequest) -> list[Item]:
    """Links to what this person may see."""
    groups = (
        {
            "title": title,
            "items": [_item(link, request) for link in links if _seen(link, request)],
        }
        for title, links in _GROUPS.items()
    )
    return [group for group in groups if group["items"]]


def tabs(request: HttpRequest) -> list[Item]:
    """The boxes of a list, one tab each."""
    return [
        {
            "models": [model._meta.label_lower],
            "items": [
                _tab(model, box, place, request)
                for place, box in enumerate(boxes.boxes)
            ],
        }
        for model, boxes in _BOXES
    ]


def _seen(link: _Link, request: HttpRequest) -> bool:
    page = admin.site.get_model_admin(link.model)
    return bool(page.has_view_permission(request))


def _item(link: _Link, request: HttpRequest) -> Item:
    item: Item = {"title": link.title, "icon": link.icon, "link": _list_of(link.model)}
    if link.model is HumanRequest and (open_ones := _waiting(request)):
        item["badge"] = open_ones
    return item


def _waiting(request: HttpRequest) -> int:
    return waiting.count(waiting.decisions(request))


def _tab(
    model: type[Model], box: tuple[str, str], place: int, request: HttpRequest
) -> Item:
    name, title = box
    query = f"?{BoxFilter.parameter_name}={name}" if place else ""
    chosen = request.GET.get(BoxFilter.parameter_name, "")
    return {
        "title": title,
        "link": f"{_list_of(model)}{query}",
        "active": chosen == (name if place else ""),
    }


def _list_of(model: type[Model]) -> str:
    names = model._meta
    return reverse(f"admin:{names.app_label}_{names.model_name}_changelist")
