"""What the page of a task shows only in part: whole, as a download."""

import json
import uuid
from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from tasks_app.admin import door, files
from tasks_app.models import Message, Task

_PARTS = ("payload", "result", "error")
_HEADERS: Mapping[str, str] = {
    # A browser must never run it (G57).
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "no-store",
}


def part(request: HttpRequest, pk: uuid.UUID, name: str) -> HttpResponse:
    """One of the large values of a task; whoever decides about it has to read it."""
    if name not in _PARTS:
        raise Http404
    if name != "payload" or not files.may_open(request, pk):
        door.require(request, "view_task")
    value = get_object_or_404(Task.objects.values_list(name, flat=True), pk=pk)
    return _download(value, f"{pk}-{name}.json")


def message(request: HttpRequest, pk: uuid.UUID, generation: int) -> HttpResponse:
    """The payload of one message of the log."""
    door.require(request, "view_task")
    found = Message.objects.filter(task=pk, generation=generation)
    value = get_object_or_404(found.values_list("payload", flat=True))
    return _download(value, f"{pk}-{generation}.json")


def _download(value: object, name: str) -> HttpResponse:
    return HttpResponse(
        json.dumps(value, ensure_ascii=False, indent=2),
        content_type="application/octet-stream",
        headers={
            **_HEADERS,
            "Content-Disposition": f'attachment; filename="{name}"',
        },
    )
