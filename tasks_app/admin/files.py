"""Files of tasks: who may open them, and how they leave the house."""

import uuid

from django.core.files.storage import default_storage
from django.db.models import Q
from django.http import FileResponse, Http404, HttpRequest

from tasks_app import storage
from tasks_app.admin import door
from tasks_app.models import Attachment, Question


def may_open(request: HttpRequest, task_id: uuid.UUID) -> bool:
    """By the right to see files, or to answer something that this task asks.

    Whoever decides about a document has to read it.
    """
    if door.may(request, "view_attachment"):
        return True
    theirs = Q(kind=Question.Kind.HUMAN, level__in=door.levels(request))
    if door.may(request, "provide_info"):
        theirs |= Q(kind=Question.Kind.INFO)
    return Question.objects.filter(theirs, task=task_id).exists()


def download(attachment: Attachment) -> FileResponse:
    """The file as a download; a browser must never run it (G57). 404 if it is gone."""
    try:
        source = default_storage.open(storage.name_of(attachment.pk))
    except FileNotFoundError as gone:
        raise Http404 from gone
    name = "".join(c if c.isprintable() else "_" for c in attachment.name)
    return FileResponse(
        source,
        as_attachment=True,
        filename=name,
        content_type="application/octet-stream",
        headers={
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "Cache-Control": "no-store",
        },
    )
