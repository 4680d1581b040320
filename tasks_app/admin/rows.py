"""The page of one row, in place of Django's form: looked at, and shown after a refusal.

url → row (may they see it?) → show (the template of the model, with its context)
"""

import uuid
from typing import Any, ClassVar, TypeVar

from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404

from tasks_app.admin import door
from tasks_app.admin.base import ConsoleAdmin

M = TypeVar("M", bound=Model)


class RowPages(ConsoleAdmin[M]):
    """What `routes` adds stands beside the page that shows the row."""

    template: ClassVar[str]
    # Rights beside Django's own "view" that open the list and the page.
    opened_by: ClassVar[tuple[str, ...]] = ()

    def rows(self) -> QuerySet[M]:
        """All that a page may show, with what it shows of other tables."""
        return self.model._default_manager.all()

    def context_of(self, request: HttpRequest, row: M) -> dict[str, Any]:
        """What the template shows besides the frame. Any: what a template takes."""
        raise NotImplementedError

    def has_view_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Whoever has something to do here may look."""
        allowed = super().has_view_permission(request, obj)
        return allowed or any(door.may(request, right) for right in self.opened_by)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """Links made elsewhere in the admin end here too; there is nothing to edit."""
        row = self.row(request, object_id)
        if self.row_page != "change":
            return HttpResponseRedirect(self.url(self.row_page, row.pk))
        return self.show(request, row)

    def row(self, request: HttpRequest, pk: uuid.UUID | str) -> M:
        """The row, for who may see it; 404 also for what is no id."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return self.find(pk)

    def find(self, pk: uuid.UUID | str) -> M:
        """The row, for who has shown another right."""
        try:
            return get_object_or_404(self.rows(), pk=uuid.UUID(str(pk)))
        except ValueError as none:
            raise Http404 from none

    def show(
        self,
        request: HttpRequest,
        row: M,
        *,
        status: int = 200,
        refusal: str = "",
        **more: object,
    ) -> HttpResponse:
        """The page; `refusal` stands on top of it."""
        context: dict[str, Any] = {
            "title": self.name_of(row),
            "original": row,
            "status": status,
            "refusal": refusal,
        }
        return self.page(
            request, self.template, **context | self.context_of(request, row) | more
        )
