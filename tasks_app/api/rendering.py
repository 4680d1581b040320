"""The last step of every answer: a JSON body and its headers."""

import json
from collections.abc import Mapping

from django.http import HttpResponse

from agents_app.protocol import jsontext
from agents_app.protocol.errors import SynapseError

JSON = "application/json"
# Of an error: what was sent may stand in it, but need not come back whole.
_MAX_TEXT = 1_000
_MAX_NAME = 200
_MAX_ENTRIES = 100
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
        json.dumps({"success": False, "error": _brief(error.to_object())}),
        content_type=JSON,
        status=error.spec.http_status,
        headers=headers,
    )


def _brief(value: object) -> object:
    """The same, with long texts, names and lists cut."""
    if isinstance(value, str):
        return _cut(value, _MAX_TEXT)
    if isinstance(value, Mapping):
        first = list(value.items())[:_MAX_ENTRIES]
        return {_cut(str(name), _MAX_NAME): _brief(one) for name, one in first}
    if isinstance(value, list | tuple):
        return [_brief(one) for one in value[:_MAX_ENTRIES]]
    return value


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "…"
