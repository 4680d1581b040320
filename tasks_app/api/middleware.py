"""Outermost for everything under /api/: straight to the view and back.

Optimization: a caller has no session, no cookie and no messages, so its request does
not pass the middleware that serves the admin.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.template.response import SimpleTemplateResponse
from django.urls import get_resolver

from tasks_app.api.errors import answer_to

_UNDER = "/api/"
HEADERS = {
    # A key in the query must not reach a cache or another site (G55).
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ApiMiddleware:
    """Answers requests under /api/; passes on all others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._pass_on = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Never raises: what a view let through becomes an error answer."""
        if not request.path_info.startswith(_UNDER):
            return self._pass_on(request)
        try:
            response = _answer(request)
        except Exception as error:  # noqa: BLE001 - the last net under the API
            response = answer_to(error)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        _say_how_long(response)
        _forget_query(request)
        return response


def _say_how_long(response: HttpResponseBase) -> None:
    """Without a length the server would send even a short answer in chunks."""
    if isinstance(response, HttpResponse) and response.status_code != 304:
        response.headers.setdefault("Content-Length", str(len(response.content)))


def _forget_query(request: HttpRequest) -> None:
    """A request outlives its answer in log records; its key must not (G55)."""
    if request.META.get("QUERY_STRING"):
        request.META["QUERY_STRING"] = ""
        request.GET = QueryDict()


def _answer(request: HttpRequest) -> HttpResponseBase:
    match = get_resolver().resolve(request.path_info)
    request.resolver_match = match
    response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
    if isinstance(response, SimpleTemplateResponse):
        response = response.render()
    return response
