"""The actions, described for OpenAPI; decorators of the views.

Schemas come from requests.py and responses.py. Every action may answer with the one
error shape, under any status of the catalogue.
"""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiCallback,
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_serializer,
)

from tasks_app.api import responses
from tasks_app.api.listing import DEFAULT_LIMIT, MAX_LIMIT
from tasks_app.api.requests import CancelRequest, ProvideRequest, SubmitRequest
from tasks_app.filetypes import ACCEPTED


class CallerKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call] # registers itself
    """How `CallerAuthentication` reads its key."""

    target_class = "tasks_app.api.auth.CallerAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Any: drf-spectacular has no type for it."""
        return {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "Also taken as the query parameter `api_key`, if allowed.",
        }


def _path(name: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.UUID, OpenApiParameter.PATH)


def _header(name: str, text: str, *, status: int | None = None) -> OpenApiParameter:
    """Of the request, or of the answers with this status."""
    return OpenApiParameter(
        name,
        str,
        OpenApiParameter.HEADER,
        description=text,
        response=[status] if status else False,
    )


# One object that holds the list, not a list of them.
extend_schema_serializer(many=False)(responses.TaskListAnswer)

_ERROR = OpenApiResponse(responses.ErrorAnswer, "What went wrong, in the one shape.")
_TASK = _path("task_id")
# A parameter that is there says something.
_FILLED = {"type": "string", "minLength": 1}
_REPLAY = [
    OpenApiParameter(
        "Idempotency-Key",
        {"type": "string", "pattern": "^[!-~]{1,255}$"},
        OpenApiParameter.HEADER,
        description="Same key and same content: same task, for 24 hours.",
    ),
    _header("Location", "Where the task is read.", status=202),
    _header("Idempotency-Replayed", "`true`: the task was there before.", status=202),
]
_CALLBACK = OpenApiCallback(
    "statusChange",
    "{$request.body#/callback_url}",
    extend_schema(
        description="Signed by Standard Webhooks headers, and X-Callback-Token.",
        request=responses.CallbackBody,
        responses={"2XX": OpenApiResponse(description="Received.")},
    ),
)
_FORM = {
    "type": "object",
    "required": ["task_type", "payload"],
    "properties": {
        "task_type": {"type": "string", "minLength": 1, "maxLength": 100},
        "payload": {
            "type": "string",
            "minLength": 2,
            "description": "A JSON object, as text.",
        },
        "agent_id": {"type": "string", "maxLength": 128},
        "external_task_id": {"type": "string", "maxLength": 255},
        "priority": {"enum": ["low", "normal", "high", "urgent"]},
        "callback_url": {"type": "string"},
        "callback_token": {"type": "string"},
        "callback_events": {"type": "string", "description": "Between commas."},
        "file": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "description": f"One part a file, of {', '.join(ACCEPTED)}.",
        },
    },
}

submit = extend_schema(
    operation_id="submit_task",
    request={"application/json": SubmitRequest},
    responses={202: responses.SubmitAnswer, "default": _ERROR},
    parameters=_REPLAY,
    callbacks=[_CALLBACK],
    examples=[
        OpenApiExample(
            "Ask a person",
            {
                "task_type": "approval",
                "payload": {
                    "summary": "Give customer 4711 a discount of 30 %?",
                    "details": {"order": 980.5, "usual": "10 %"},
                    "suggested_value": {"percent": 30},
                },
                "priority": "high",
            },
            request_only=True,
        )
    ],
)
submit_form = extend_schema(
    operation_id="submit_task_with_files",
    request={"multipart/form-data": _FORM},
    responses={202: responses.SubmitAnswer, "default": _ERROR},
    parameters=_REPLAY,
)
detail = extend_schema(
    operation_id="read_task",
    parameters=[_TASK],
    responses={200: responses.TaskAnswer, "default": _ERROR},
)
status = extend_schema(
    operation_id="read_status",
    parameters=[
        _TASK,
        _header("If-None-Match", "The ETag you have: 304 while nothing changed."),
        _header("ETag", "Changes with every change of the task.", status=200),
        _header(
            "Retry-After", "Seconds until the next look; not at the end.", status=200
        ),
    ],
    responses={
        200: responses.StatusAnswer,
        304: OpenApiResponse(description="Nothing changed."),
        "default": _ERROR,
    },
)
listing = extend_schema(
    operation_id="list_tasks",
    parameters=[
        OpenApiParameter(
            "limit",
            {"type": "integer", "minimum": 1, "default": DEFAULT_LIMIT},
            description=f"At most {MAX_LIMIT}; more is cut down to it.",
        ),
        OpenApiParameter("offset", {"type": "integer", "minimum": 0, "default": 0}),
        OpenApiParameter(
            "cursor",
            {"type": "string", "pattern": r"^[0-9]{1,16}-[0-9a-f]{32}$"},
            description="`next_cursor` of the page before.",
        ),
        OpenApiParameter("task_type", _FILLED),
        OpenApiParameter("external_task_id", _FILLED),
    ],
    responses={200: responses.TaskListAnswer, "default": _ERROR},
)
cancel = extend_schema(
    operation_id="cancel_task",
    parameters=[_TASK],
    request={"application/json": CancelRequest},
    responses={200: responses.ChangedAnswer, "default": _ERROR},
)
info = extend_schema(
    operation_id="provide_info",
    parameters=[_TASK],
    request={"application/json": ProvideRequest},
    responses={200: responses.ChangedAnswer, "default": _ERROR},
)
download = extend_schema(
    operation_id="download_file",
    parameters=[_TASK, _path("file_id")],
    responses={
        (200, "application/octet-stream"): OpenApiTypes.BINARY,
        "default": _ERROR,
    },
)
capabilities = extend_schema(
    operation_id="read_capabilities",
    parameters=[
        OpenApiParameter("agent_id", str, description="Only the types of this agent.")
    ],
    responses={200: responses.CapabilitiesAnswer, "default": _ERROR},
)
