"""What all P2A actions share: who calls, and that the answer is JSON."""

from typing import Any, cast

from django.http import HttpResponse
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.viewsets import GenericViewSet

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.api.accepting import takes_json
from tasks_app.api.auth import Principal
from tasks_app.api.rendering import JSON, answer


class Door(GenericViewSet[Any]):
    """Any: the rows are read as plain values, not through DRF."""

    # Whether a client that takes no JSON is sent away.
    only_json = True

    def perform_content_negotiation(
        self, request: Request, force: bool = False
    ) -> tuple[BaseRenderer, str]:
        """There is one format; NOT_ACCEPTABLE for who wants none of it."""
        refused = self.only_json and not takes_json(request.META.get("HTTP_ACCEPT", ""))
        if refused and not force:
            raise SynapseError(Code.NOT_ACCEPTABLE, details={"supported": [JSON]})
        return JSONRenderer(), JSON

    def options(  # type: ignore[override] # DRF takes any HttpResponse
        self, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """What may be done here; the header Allow says it too."""
        return answer({"success": True, "methods": self.allowed_methods})


def caller(request: Request) -> Principal:
    """Who was let in."""
    return cast(Principal, request.user)
