"""The page of one callback: its attempts, its body, and the replay button."""

import uuid
from collections.abc import Mapping, Sequence

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_POST

from agents_app.protocol import jsontext
from agents_app.protocol.errors import SynapseError
from tasks_app import delivery
from tasks_app.admin import door
from tasks_app.admin.base import ConsoleAdmin, Route
from tasks_app.admin.tree import tree
from tasks_app.admin.when import due
from tasks_app.models import Delivery, DeliveryAttempt, DeliveryState

TEMPLATE = "admin/tasks_app/delivery/detail.html"
# What a receiver's answer keeps of itself, in characters.
_RESPONSE = 4_096
_MOODS: Mapping[str, str] = {
    DeliveryState.WAITING: "info",
    DeliveryState.DELIVERED: "good",
    DeliveryState.DEAD: "danger",
}


class DeliveryPages(ConsoleAdmin[Delivery]):
    """Own pages of callbacks."""

    def routes(self) -> Sequence[Route]:
        """One button."""
        return (("<uuid:pk>/replay/", require_POST(self.replay), "replay"),)

    def has_replay_permission(self, request: HttpRequest) -> bool:
        """For the action in the list."""
        return door.may(request, "replay_delivery")

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """The callback with every try to send it."""
        door.require(request, "view_delivery")
        try:
            return self._page(request, uuid.UUID(object_id))
        except ValueError as none:
            raise Http404 from none

    def replay(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Send it again, by a fresh schedule."""
        door.require(request, "replay_delivery")
        row = get_object_or_404(Delivery, pk=pk)
        try:
            delivery.replay(pk, by=door.address(request))
        except SynapseError as refused:
            return self._page(request, pk, refused.spec.http_status, refused.message)
        self.log_change(request, row, "Sent again.")
        messages.success(request, "It is being sent again.")
        return HttpResponseRedirect(self.url("change", pk))

    def _page(
        self, request: HttpRequest, pk: uuid.UUID, status: int = 200, refusal: str = ""
    ) -> HttpResponse:
        row = get_object_or_404(Delivery.objects.select_related("task__caller"), pk=pk)
        attempts = DeliveryAttempt.objects.filter(delivery=row).order_by("-number")
        return self.page(
            request,
            TEMPLATE,
            title=str(row),
            original=row,
            status=status,
            refusal=refusal,
            delivery=row,
            mood=_MOODS.get(row.state, ""),
            next_try=due(row.next_try_at, timezone.now()) if row.next_try_at else None,
            body=tree(_parsed(row.body)),
            attempts=[
                {"row": one, "response": one.response[:_RESPONSE]} for one in attempts
            ],
            may_replay=self.has_replay_permission(request),
            may_see_task=door.may(request, "view_task"),
        )


def _parsed(body: str) -> object:
    try:
        return jsontext.loads(body)
    except SynapseError:
        return body
