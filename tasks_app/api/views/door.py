"""What all P2A actions share: who calls, and that the answer is JSON."""

from collections.abc import Mapping
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.viewsets import GenericViewSet

from agents_app.protocol.errors import Code, SynapseError
from tasks_app.api.accepting import takes_json
from tasks_app.api.auth import Principal
from tasks_app.api.rendering import JSON, answer

# DRF would make one for every request, to ask it nothing.
_NEGOTIATION = DefaultContentNegotiation()


class Door(GenericViewSet[Any]):
    """Any: the rows are read as plain values, not through DRF.

    Optimization: of what DRF does before an action and after it, only what a door has a
    use for. There are no parsers, formats, versions, permissions and throttles.
    """

    # Whether a client that takes no JSON is sent away.
    only_json = True
    # Nothing that is in every answer; see `finalize_response`.
    default_response_headers: Mapping[str, str] = {}  # type: ignore[assignment] # a property of DRF

    def initialize_request(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> Request:
        """The request as DRF shows it, and the action that is asked for."""
        method = str(request.method).lower()
        self.action = self.action_map.get(method, "metadata")
        authenticators = self.get_authenticators()
        return Request(request, authenticators=authenticators, negotiator=_NEGOTIATION)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Send away who takes no JSON (NOT_ACCEPTABLE) or is no caller."""
        if self.only_json and not takes_json(request.META.get("HTTP_ACCEPT", "")):
            raise SynapseError(Code.NOT_ACCEPTABLE, details={"supported": [JSON]})
        self.perform_authentication(request)

    def finalize_response(  # type: ignore[override] # DRF takes any HttpResponse
        self, request: Request, response: HttpResponse, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """The answer as it is; it is rendered."""
        if response.status_code == 405 or request.method == "OPTIONS":
            response.headers["Allow"] = ", ".join(self.allowed_methods)
        return response

    def options(  # type: ignore[override] # DRF takes any HttpResponse
        self, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """What may be done here; the header Allow says it too."""
        return answer({"success": True, "methods": self.allowed_methods})


def caller(request: Request) -> Principal:
    """Who was let in."""
    return cast(Principal, request.user)
