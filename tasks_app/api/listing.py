"""GET /tasks: filters, pages and the cursor (P2A 7.4, decision 33).

Everything in the query must be known, come once and be well formed (G58). Newest
first; the id breaks ties, so pages never overlap.
"""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import django_filters  # type: ignore[import-untyped] # ships no types
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import F, Lookup, QuerySet
from django.http import QueryDict
from django_filters.rest_framework import (  # type: ignore[import-untyped]
    DjangoFilterBackend,
)
from rest_framework.request import Request

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Priority
from agents_app.protocol.states import (
    UNSUCCESSFUL,
    PublicStatus,
    TaskState,
    public_status,
)
from agents_app.protocol.times import parse_rfc3339
from tasks_app.api.auth import QUERY_PARAMETER
from tasks_app.models import Task

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
MAX_OFFSET = 2**31 - 1
# Beyond it `total` says only that there are at least as many.
COUNTED = 10_000

PAGING = ("limit", "offset", "cursor")
_DIGITS = re.compile(r"[0-9]{1,10}")
_CURSOR = re.compile(r"([0-9]{1,16})-([0-9a-f]{32})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

STATES_OF: Mapping[str, list[str]] = {
    str(status): [str(s) for s in TaskState if public_status(s) is status]
    for status in PublicStatus
}

# Any: rows are read as plain values.
Tasks = QuerySet[Task, Any]


class _Unsuccessful(Lookup):
    """The condition of the index `task_unsuccessful`, word by word.

    As parameters the databases could not tell that it is the same.
    """

    lookup_name = "unsuccessful"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        """Any: as in Django."""
        state, parameters = self.process_lhs(compiler, connection)
        return f"{state} IN {tuple(map(str, UNSUCCESSFUL))}", parameters


class Rfc3339Field(forms.Field):
    """A moment, in the one form the API speaks."""

    def to_python(self, value: str | None) -> datetime | None:
        """ValidationError for any other text."""
        if not value:
            return None
        try:
            return parse_rfc3339(value)
        except ValueError as refused:
            text = "Must be like 2026-01-31T09:30:00Z (a + is sent as %2B)."
            raise ValidationError(text) from refused


class Rfc3339Filter(django_filters.Filter):  # type: ignore[misc]
    """See `Rfc3339Field`."""

    field_class = Rfc3339Field


class TaskFilter(django_filters.FilterSet):  # type: ignore[misc]
    """The filters of GET /tasks. Together they narrow: a task must fit them all."""

    status = django_filters.ChoiceFilter(
        choices=[(status, status) for status in STATES_OF],
        method="in_status",
        label="One of the five P2A statuses.",
    )
    task_type = django_filters.CharFilter(strip=False)
    priority = django_filters.ChoiceFilter(
        choices=[(p.value, p.value) for p in Priority]
    )
    external_task_id = django_filters.CharFilter(strip=False)
    created_after = Rfc3339Filter(
        field_name="created_at", lookup_expr="gte", label="At or after this moment."
    )
    created_before = Rfc3339Filter(
        field_name="created_at", lookup_expr="lt", label="Before this moment."
    )

    def in_status(self, tasks: Tasks, name: str, value: str) -> Tasks:
        """Every A2A state that a caller sees as this status.

        Optimization: what is rare among many is found by a small index, which holds
        only live tasks (they all have a deadline, G10), or only unsuccessful ones.
        """
        found = tasks.filter(state__in=STATES_OF[value])
        if value in ("failed", "cancelled"):
            return found.filter(_Unsuccessful(F("state"), None))
        if value != "completed":
            return found.filter(due_at__isnull=False)
        return found


class StrictFilterBackend(DjangoFilterBackend):  # type: ignore[misc]
    """django-filter, which by itself passes over parameters it does not know."""

    def filter_queryset(
        self, request: Request, queryset: Any, view: Any
    ) -> QuerySet[Any]:
        """Any: as in django-filter. UNKNOWN_PARAMETER or INVALID_FIELD."""
        check_parameters(request.query_params)
        filterset = self.get_filterset(request, queryset, view)
        if not filterset.is_valid():
            errors = {name: " ".join(texts) for name, texts in filterset.errors.items()}
            raise SynapseError(Code.INVALID_FIELD, details={"fields": errors})
        filtered: QuerySet[Any] = filterset.qs
        return filtered


def check_parameters(query: QueryDict) -> None:
    """Every parameter known, once and not empty."""
    known = [*TaskFilter.base_filters, *PAGING]
    if settings.SYNAPSE_ALLOW_QUERY_API_KEY:
        known.append(QUERY_PARAMETER)
    unknown = sorted(name[:100] for name in query if name not in known)
    if unknown:
        details = {"unknown": unknown[:20], "known": sorted(known)}
        raise SynapseError(Code.UNKNOWN_PARAMETER, details=details)
    for name, values in query.lists():
        if len(values) > 1:
            raise _invalid(name, "comes twice")
        if not values[0]:
            raise _invalid(name, "is empty")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which part of the list is wanted; `after` is the last task of the page before."""

    limit: int
    offset: int
    after: tuple[datetime, uuid.UUID] | None

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """INVALID_FIELD for a number or a cursor that is none. `limit` is clamped."""
        if "cursor" in query and "offset" in query:
            raise _invalid("offset", "cannot be combined with a cursor")
        return cls(
            limit=min(_number(query, "limit", DEFAULT_LIMIT, at_least=1), MAX_LIMIT),
            offset=_number(query, "offset", 0, at_least=0),
            after=_read_cursor(query["cursor"]) if "cursor" in query else None,
        )

    def of_tasks(self, tasks: Tasks) -> Tasks:
        """The ids of this page, newest first, and of one more task if more follow."""
        if self.after is not None:
            created_at, task_id = self.after
            # As one range of the index (caller, -created_at, -id).
            tasks = tasks.filter(created_at__lte=created_at).exclude(
                created_at=created_at, id__gte=task_id
            )
        ordered = tasks.order_by("-created_at", "-id").values("id")
        return ordered[self.offset : self.offset + self.limit + 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """How many tasks fit the filters; where not `exact`, at least as many."""

    number: int
    exact: bool


def total(tasks: Tasks, page: Page, shown: int, has_more: bool) -> Total:
    """The total of a page that shows so many rows; exact up to COUNTED.

    Optimization: never more than COUNTED rows are counted, and none where the page
    itself tells.
    """
    reached = page.offset + shown
    from_start = page.after is None
    if from_start and not has_more and (shown or not page.offset):
        return Total(number=reached, exact=True)
    counted: int = tasks.order_by()[: COUNTED + 1].count()
    # Tasks that came between the two queries must not contradict `has_more`.
    least = reached + 1 if from_start and has_more else 0
    number = max(min(counted, COUNTED), least)
    return Total(number=number, exact=counted <= COUNTED)


def cursor_after(row: Mapping[str, Any]) -> str:
    """Where the next page begins. Callers pass it back as it is."""
    moment = (row["created_at"] - _EPOCH) // _MICROSECOND
    return f"{moment}-{row['id'].hex}"


def _read_cursor(text: str) -> tuple[datetime, uuid.UUID]:
    match = _CURSOR.fullmatch(text)
    if match is None:
        raise _invalid("cursor", "is not one that this list gave out")
    return _EPOCH + int(match[1]) * _MICROSECOND, uuid.UUID(match[2])


def _number(
    query: Mapping[str, str],
    name: str,
    default: int,
    *,
    at_least: int,
    at_most: int = MAX_OFFSET,
) -> int:
    text = query.get(name)
    if text is None:
        return default
    number = int(text) if _DIGITS.fullmatch(text) else -1
    if not at_least <= number <= at_most:
        raise _invalid(name, f"must be a whole number from {at_least} to {at_most}")
    return number


def _invalid(name: str, text: str) -> SynapseError:
    return SynapseError(Code.INVALID_FIELD, details={"fields": {name: text}})
