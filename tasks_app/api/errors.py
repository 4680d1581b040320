"""Whatever goes wrong becomes the one error shape (P2A chapter 9), here only.

    views, DRF, middleware, URLconf → translate → rendering.refusal

Texts of foreign exceptions are logged, never sent (G60).
"""

import logging
from collections.abc import Callable, Mapping

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.views import defaults
from rest_framework import exceptions as drf

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.api.rendering import refusal
from tasks_app.collisions import is_collision

_DATABASE_RETRY_SECONDS = 5
_COLLIDED = "Another request stood in the way of this one. Try it again."

logger = logging.getLogger(__name__)

# The first that fits; the text is the catalogue's unless given.
_FOREIGN: tuple[tuple[type[Exception], Code, str | None], ...] = (
    (Http404, Code.ROUTE_NOT_FOUND, None),
    (drf.NotFound, Code.ROUTE_NOT_FOUND, None),
    (drf.MethodNotAllowed, Code.METHOD_NOT_ALLOWED, None),
    (drf.NotAcceptable, Code.NOT_ACCEPTABLE, None),
    (drf.UnsupportedMediaType, Code.UNSUPPORTED_MEDIA_TYPE, None),
    (drf.ParseError, Code.MALFORMED_JSON, None),
    (drf.NotAuthenticated, Code.KEY_MISSING, None),
    (drf.AuthenticationFailed, Code.KEY_INVALID, None),
    (drf.PermissionDenied, Code.FORBIDDEN, None),
    (PermissionDenied, Code.FORBIDDEN, None),
    (drf.ValidationError, Code.INVALID_FIELD, None),
    (RequestDataTooBig, Code.BODY_TOO_LARGE, None),
    (TooManyFilesSent, Code.TOO_MANY_FILES, None),
    (TooManyFieldsSent, Code.INVALID_FIELD, "There are too many fields."),
    (MultiPartParserError, Code.INVALID_FIELD, "The form cannot be read."),
    (UnreadablePostError, Code.INVALID_FIELD, "The body ended too early."),
    (SuspiciousOperation, Code.INVALID_FIELD, "The request cannot be accepted."),
    (BadRequest, Code.INVALID_FIELD, "The request cannot be read."),
)


def exception_handler(error: Exception, context: Mapping[str, object]) -> HttpResponse:
    """DRF's hook: called for whatever a view raises."""
    return answer_to(error)


def answer_to(error: Exception) -> HttpResponse:
    """The answer for any exception."""
    return refusal(translate(error))


def translate(error: Exception) -> SynapseError:
    """Any exception as one that the protocol has a code for."""
    if isinstance(error, SynapseError):
        return error
    if isinstance(error, drf.Throttled):
        wait = getattr(error, "wait", None)
        seconds = None if wait is None else int(wait)
        return SynapseError(Code.RATE_LIMITED, retry_after=seconds)
    for kind, code, text in _FOREIGN:
        if isinstance(error, kind):
            return SynapseError(code, text)
    if is_collision(error):
        logger.error("Two writers waited for each other, again.", exc_info=error)
        return SynapseError(Code.DATABASE_UNAVAILABLE, _COLLIDED, retry_after=1)
    if _unreachable(error):
        logger.error("The database cannot be reached.", exc_info=error)
        return SynapseError(
            Code.DATABASE_UNAVAILABLE, retry_after=_DATABASE_RETRY_SECONDS
        )
    logger.error("A request failed.", exc_info=error)
    return SynapseError(Code.INTERNAL)


def _unreachable(error: Exception) -> bool:
    """Down, locked or cut off; the other database errors are mistakes of ours."""
    lost = isinstance(error, OperationalError | InterfaceError)
    return lost or type(error) is DatabaseError


def _site_answer(
    error: type[Exception], page: Callable[..., HttpResponse]
) -> Callable[..., HttpResponse]:
    """A URLconf handler: JSON, but the pages of the admin stay pages."""

    def handle(
        request: HttpRequest, exception: Exception | None = None
    ) -> HttpResponse:
        if request.path_info.startswith("/admin/"):
            given = {} if exception is None else {"exception": exception}
            return page(request, **given)
        return answer_to(exception or error())

    return handle


bad_request = _site_answer(BadRequest, defaults.bad_request)
forbidden = _site_answer(PermissionDenied, defaults.permission_denied)
not_found = _site_answer(Http404, defaults.page_not_found)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django has logged the exception before it asks for this."""
    if request.path_info.startswith("/admin/"):
        return defaults.server_error(request)
    return refusal(SynapseError(Code.INTERNAL))
