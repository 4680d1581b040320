"""The list of callbacks; dead letters have a tab of their own."""

from typing import ClassVar

from django.contrib import messages
from django.contrib.admin import ShowFacets
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agents_app.protocol.errors import SynapseError
from tasks_app import delivery
from tasks_app.admin import door, finding, moods
from tasks_app.admin.delivery.pages import DeliveryPages
from tasks_app.admin.filters import DeliveryFilter
from tasks_app.admin.framework import action, display
from tasks_app.admin.listing import TASK_BLOBS, moment_cell
from tasks_app.admin.when import due
from tasks_app.models import Delivery


class DeliveryAdmin(DeliveryPages):
    """The list; the page of one callback is in `pages`."""

    list_display = (
        "what",
        "status",
        "sequence",
        "tries",
        "next_try",
        "endpoint",
        "created",
    )
    list_filter = (DeliveryFilter, "task__caller")
    list_select_related = ("task",)
    search_fields = ("task__id",)
    search_help_text = f"{finding.HELP}, or id of the callback"
    show_facets: ClassVar[ShowFacets] = ShowFacets.NEVER
    actions = ("replay_selected",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Delivery]:
        """Without large values."""
        blobs = (f"task__{name}" for name in TASK_BLOBS)
        return super().get_queryset(request).defer("body", *blobs)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Delivery], search_term: str
    ) -> tuple[QuerySet[Delivery], bool]:
        """By task, or by its own id, which the receiver saw as `webhook-id`."""
        if not search_term:
            return queryset, False
        wanted = finding.by_task(search_term, "task__")
        return queryset.filter(wanted | finding.by_own_id(search_term)), False

    @action("Send again", permissions=["replay"])
    def replay_selected(
        self, request: HttpRequest, queryset: QuerySet[Delivery]
    ) -> None:
        """Each on its own: one that is being sent just now is left alone."""
        sent = refused = 0
        for row in queryset:
            try:
                delivery.replay(row.pk, by=door.address(request))
            except SynapseError:
                refused += 1
            else:
                sent += 1
                self.log_change(request, row, "Sent again.")
        messages.success(request, f"Being sent again: {sent}.")
        if refused:
            messages.warning(request, f"Just being sent, so left alone: {refused}.")

    @display("Callback")
    def what(self, row: Delivery) -> SafeString:
        """The event, and whose task it tells of."""
        return format_html(
            '<span class="sy-two">{}<small class="sy-mono">{}</small></span>',
            row.event,
            row.task_id,
        )

    @display("State", label=moods.labels(moods.DELIVERY))
    def status(self, row: Delivery) -> tuple[str, str]:
        return row.state, row.get_state_display()

    @display("Next try")
    def next_try(self, row: Delivery) -> str:
        """Past ones are under way."""
        if row.next_try_at is None:
            return "—"
        now = timezone.now()
        return "now" if row.next_try_at <= now else due(row.next_try_at, now).text

    @display("Created")
    def created(self, row: Delivery) -> SafeString:
        return moment_cell(row.created_at, timezone.now())
