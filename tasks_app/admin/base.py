"""What the pages of the console share: read-only lists, cheap counts, own pages.

    browser → admin view (permission, parse) → one verb → page or redirect

State is never edited here: models are shown, verbs of `desk`, `lifecycle`, `delivery`
and `callers` change it, each behind POST, CSRF and its own permission.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import ClassVar, TypeVar, cast

from django.contrib.admin.models import LogEntry
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from tasks_app.admin.framework import ChangeList, Paginator
from tasks_app.admin.lookups import OfferedLookups

M = TypeVar("M", bound=Model)
Columns = list[str] | tuple[str, ...]
# Path below the model's own, view, and the end of the URL name.
Route = tuple[str, Callable[..., HttpResponseBase], str]

COUNT_UP_TO = 10_000


class CappedPaginator(Paginator):
    """Counts no further than anybody pages: a count of millions costs seconds."""

    @cached_property
    def count(self) -> int:
        """The rows there are, or the cap."""
        rows = cast(QuerySet[Model], self.object_list)
        return rows.order_by().values("pk")[:COUNT_UP_TO].count()


class CappedList(ChangeList):
    """Leads to the page that the admin names in `row_page`, and has one count only."""

    def get_results(self, request: HttpRequest) -> None:
        """Without a second count beside the first, there is nothing to tell apart."""
        super().get_results(request)
        self.full_result_count = self.result_count

    def url_for_result(self, result: Model) -> str:
        """The page of a row."""
        page = cast(ConsoleAdmin[Model], self.model_admin)
        return page.url(page.row_page, result.pk)


class ConsoleAdmin(OfferedLookups[M]):
    """Shows rows of one model; adds, edits and deletes none."""

    row_page: ClassVar[str] = "change"

    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
    # UUIDv7 ids are in order of time, and their index is always there.
    ordering = ("-id",)
    sortable_by: ClassVar[Columns] = ()

    def name_of(self, row: M) -> str:
        """What people call it, in titles and in the history."""
        return str(row)

    def log_change(self, request: HttpRequest, obj: M, message: object) -> LogEntry:
        """As Django's, under the name that people know."""
        entry = super().log_change(request, obj, message)
        entry.object_repr = self.name_of(obj)[:200]
        entry.save(update_fields=["object_repr"])
        return entry

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether anything of it is open to them; Django asks for the whole app."""
        return any(self.get_model_perms(request).values())

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Rows come from verbs."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """No hand edits (G73)."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """What happened stays on record."""
        return False

    def get_changelist(
        self, request: HttpRequest, **kwargs: object
    ) -> type[ChangeList]:
        """One for all models: it leads to `row_page`."""
        return CappedList

    def routes(self) -> Sequence[Route]:
        """Own pages and actions of this model."""
        return ()

    def get_urls(self) -> list[URLPattern]:
        """Own pages come first: Django's catch-all would swallow them."""
        own = [
            path(route, self.admin_site.admin_view(view), name=self.url_name(name))
            for route, view, name in self.routes()
        ]
        return [*own, *super().get_urls()]

    def url_name(self, name: str) -> str:
        """`tasks_app_task_cancel` for "cancel"."""
        return f"{self.opts.app_label}_{self.opts.model_name}_{name}"

    def url(self, name: str, *parts: object) -> str:
        """The address of one of the pages of this model."""
        return reverse(f"admin:{self.url_name(name)}", args=parts)

    def page(
        self,
        request: HttpRequest,
        template: str,
        *,
        title: str,
        original: M | None = None,
        status: int = 200,
        **context: object,
    ) -> TemplateResponse:
        """A page in the frame of the admin; `original` leads its breadcrumbs."""
        frame = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": title,
            "original": original,
        }
        return TemplateResponse(request, template, frame | context, status=status)
