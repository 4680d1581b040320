"""POST /task: the one address that is called for every task (P2A 6.1).

Optimization: the key is presumed to be whose it was before, and the statement that
writes the task looks whether that is still so. Whoever is not simply accepted is
identified first: a key that is good no longer gets its 401 and nothing else (G54).
"""

from typing import Any, cast

from django.http import HttpResponse
from rest_framework.request import Request

from tasks_app import lifecycle
from tasks_app.api import addresses, auth, bodies, openapi, presenting, submitting
from tasks_app.api.rendering import answer
from tasks_app.api.requests import SubmitRequest
from tasks_app.api.views.door import Door, caller
from tasks_app.changes import Snapshot
from tasks_app.models import Task


class SubmitViewSet(Door):
    """Tasks without files."""

    queryset = Task.objects.none()
    # Nobody yet, or nobody any more.
    presumed: auth.Principal | None = None

    @openapi.submit
    def create(self, request: Request) -> HttpResponse:
        """Submit a task."""
        key = submitting.key_of(request.META)
        wanted = SubmitRequest.parse(bodies.json_object(request))
        try:
            done = submitting.submit(caller(request), wanted, key=key)
        except lifecycle.NotWrittenError:
            self._identify(request)
            done = submitting.submit(caller(request), wanted, key=key)
        return accepted(*done)

    def perform_authentication(self, request: Request) -> None:
        """Let in whoever is presumed or known to be a caller."""
        self.presumed = auth.presume(request)
        if self.presumed is None:
            self._identify(request)
        else:
            _let_in(request, self.presumed)

    def handle_exception(self, exc: Exception) -> HttpResponse:  # type: ignore[override] # DRF takes any HttpResponse
        """Tell what is wrong, but to callers only."""
        if self.presumed is not None:
            try:
                self._identify(self.request)
            except Exception as refused:  # noqa: BLE001 - all become answers
                exc = refused
        return super().handle_exception(exc)

    def _identify(self, request: Request) -> None:
        self.presumed = None
        _let_in(request, auth.identify(request))


def accepted(task: Snapshot, replayed: bool) -> HttpResponse:
    """The answer to a submit."""
    headers = {"Location": addresses.of_task(task.id)}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return answer(presenting.accepted(task), status=202, headers=headers)


def _let_in(request: Request, who: auth.Principal) -> None:
    request.user = cast(Any, who)  # DRF's stubs know the users of Django only.
