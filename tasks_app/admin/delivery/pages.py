"""The page of one callback: its attempts, its body, and the replay button."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from agents_app.protocol import jsontext
from agents_app.protocol.errors import SynapseError
from tasks_app import delivery
from tasks_app.admin import door, moods
from tasks_app.admin.base import Route
from tasks_app.admin.rows import RowPages
from tasks_app.admin.tree import tree
from tasks_app.admin.when import due
from tasks_app.models import Delivery, DeliveryAttempt

# What a receiver's answer keeps of itself, in characters.
_RESPONSE = 4_096
# The last tries; whoever presses "Send again" every day makes many.
_SHOWN = 100


class DeliveryPages(RowPages[Delivery]):
    template = "admin/tasks_app/delivery/detail.html"

    def routes(self) -> Sequence[Route]:
        """Beside the page, its button."""
        return (("<uuid:pk>/replay/", require_POST(self.replay), "replay"),)

    def rows(self) -> QuerySet[Delivery]:
        return super().rows().select_related("task__caller")

    def has_replay_permission(self, request: HttpRequest) -> bool:
        """For the action in the list."""
        return door.may(request, "replay_delivery")

    def replay(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Send it again, by a fresh schedule."""
        door.require(request, "replay_delivery")
        row = self.find(pk)
        try:
            delivery.replay(pk, by=door.address(request))
        except SynapseError as refused:
            status = refused.spec.http_status
            row = self.find(pk)
            return self.show(request, row, status=status, refusal=refused.message)
        self.log_change(request, row, "Sent again.")
        messages.success(request, "It is being sent again.")
        return HttpResponseRedirect(self.url("change", pk))

    def context_of(self, request: HttpRequest, row: Delivery) -> dict[str, Any]:
        """With the last tries to send it."""
        attempts = DeliveryAttempt.objects.filter(delivery=row).order_by("-number")
        attempts = attempts[:_SHOWN]
        return {
            "delivery": row,
            "mood": moods.DELIVERY.get(row.state, ""),
            "next_try": due(row.next_try_at, timezone.now())
            if row.next_try_at
            else None,
            "body": tree(_parsed(row.body)),
            "attempts": [
                {"row": one, "response": one.response[:_RESPONSE]} for one in attempts
            ],
            "may_replay": self.has_replay_permission(request),
            "may_see_task": door.may(request, "view_task"),
        }


def _parsed(body: str) -> object:
    try:
        return jsontext.loads(body)
    except SynapseError:
        return body
