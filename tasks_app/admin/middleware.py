"""What an address of the console may say, and what becomes of it when it fails (G50).

    address → checked here → view → its exception, here again

The last of the middlewares. It sees whatever any view of the admin raises, ours and
Django's, also while a page is rendered.
"""

import logging
import re
from collections.abc import Callable

from django.core.exceptions import (
    BadRequest,
    FieldError,
    PermissionDenied,
    SuspiciousOperation,
    ValidationError,
)
from django.core.paginator import InvalidPage
from django.db import DataError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import ResolverMatch

from tasks_app.admin import audit

Next = Callable[[HttpRequest], HttpResponseBase]
# No database stores or compares these; some fail on them only when they are asked.
_ODD = re.compile("[\0\ud800-\udfff]")
_SAFE = ("GET", "HEAD")
_NOT_ACCEPTED = (BadRequest, SuspiciousOperation)
# What Django and the databases raise for values that they cannot make anything of.
_UNREADABLE = (
    DataError,
    FieldError,
    InvalidPage,
    OverflowError,
    ValidationError,
    ValueError,
    re.error,
)

logger = logging.getLogger(__name__)


class SafetyNet:
    """A wrong address is a 400 page, never a 500; a refused change is on record."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: object,
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> HttpResponse | None:
        """400 for what no view can use."""
        if _is_console(request) and not _is_readable(request, kwargs):
            return _bad_request(request)
        return None

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponse | None:
        """A page, or None: then Django goes on with the exception."""
        match = request.resolver_match
        if match is None or not _is_console(request):
            return None
        if isinstance(exception, PermissionDenied):
            audit.record(request, match)
            return None
        if isinstance(exception, _NOT_ACCEPTED):
            return _bad_request(request)
        if isinstance(exception, _UNREADABLE) and _only_looks(request, match):
            # It may be a mistake of ours all the same: with its trace.
            logger.error("An address was not understood.", exc_info=exception)
            return _bad_request(request)
        return None


def _is_console(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and "admin" in match.app_names


def _is_readable(request: HttpRequest, kwargs: dict[str, object]) -> bool:
    texts = [*request.GET, *(one for _, many in request.GET.lists() for one in many)]
    texts += [part for part in kwargs.values() if isinstance(part, str)]
    return not any(map(_ODD.search, texts))


def _only_looks(request: HttpRequest, match: ResolverMatch) -> bool:
    """Whether it changes nothing, and says something that can be wrong.

    What a change came to before it failed, nobody here knows: that stays a 500.
    """
    return request.method in _SAFE and bool(request.GET or match.kwargs)


def _bad_request(request: HttpRequest) -> HttpResponse:
    return render(request, "admin/tasks_app/errors/400.html", status=400)
