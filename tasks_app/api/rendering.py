"""The last step of every answer: a JSON body and its headers."""

import json
from collections.abc import Mapping

from django.http import HttpResponse

from agents_app.protocol import jsontext
from agents_app.protocol.errors import SynapseError

JSON = "application/json"
_CHALLENGE = 'ApiKey realm="synapse", header="X-API-Key"'


def answer(
    data: Mapping[str, object],
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """A JSON answer.

    Optimization: not DRF's Response, whose negotiation and rendering cost more than
    the JSON itself; DRF takes any HttpResponse.
    """
    return HttpResponse(
        jsontext.dumps(data), content_type=JSON, status=status, headers=headers
    )


def refusal(error: SynapseError) -> HttpResponse:
    """The one error shape (P2A chapter 9) with the HTTP status of the catalogue."""
    headers = {}
    if error.spec.http_status == 401:
        headers["WWW-Authenticate"] = _CHALLENGE
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    return HttpResponse(
        # ASCII: a detail may quote text that no UTF-8 can hold.
        json.dumps({"success": False, "error": error.to_object()}),
        content_type=JSON,
        status=error.spec.http_status,
        headers=headers,
    )
