"""Files: uploaded with a task or attached by its agent, as downloads only (G57)."""

from django.http import FileResponse
from rest_framework.request import Request

from tasks_app.api import openapi, reading
from tasks_app.api.downloading import download
from tasks_app.api.views.door import Door, caller


class FileViewSet(Door):
    """The files of a caller's own tasks."""

    only_json = False

    @openapi.download
    def retrieve(self, request: Request, task_id: str, file_id: str) -> FileResponse:
        """Download a file."""
        own = reading.task_of(caller(request).caller_id, task_id, reading.ID)
        return download(reading.file_of(own, file_id))
