"""The page of one task, and what can be done to it: cancel, retry, fetch a file."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_http_methods, require_safe

from agents_app.protocol.errors import SynapseError
from agents_app.protocol.states import TERMINAL
from tasks_app import retrying
from tasks_app.admin import door, files
from tasks_app.admin.base import Route
from tasks_app.admin.rows import RowPages
from tasks_app.admin.task import downloads, stopping
from tasks_app.admin.task.page import context_of
from tasks_app.changes import Snapshot
from tasks_app.models import Attachment, Task

CONFIRM = "admin/tasks_app/confirm.html"
_MAX_REASON = 500


class TaskPages(RowPages[Task]):
    template = "admin/tasks_app/task/detail.html"

    def routes(self) -> Sequence[Route]:
        """Two actions behind a confirmation, and what can be downloaded."""
        pages = require_http_methods(["GET", "HEAD", "POST"])
        return (
            ("<uuid:pk>/cancel/", pages(self.cancel), "cancel"),
            ("<uuid:pk>/retry/", pages(self.retry), "retry"),
            ("<uuid:pk>/files/<uuid:file_id>/", require_safe(self.file), "file"),
            ("<uuid:pk>/json/<str:name>/", require_safe(downloads.part), "part"),
            (
                "<uuid:pk>/messages/<int:generation>/",
                require_safe(downloads.message),
                "message",
            ),
        )

    def rows(self) -> QuerySet[Task]:
        return super().rows().select_related("caller")

    def context_of(self, request: HttpRequest, row: Task) -> dict[str, Any]:
        """All that happened to it."""
        return context_of(request, row)

    def cancel(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """End it, whoever asked for it and whoever does it."""
        door.require(request, "cancel_task")
        task = self.find(pk)
        end, words = stopping.way_of(task)
        if request.method != "POST":
            return self._confirm(request, task, asks_reason=True, **asdict(words))
        reason = request.POST.get("reason", "").replace("\0", "")[:_MAX_REASON]

        def verb() -> Snapshot:
            return end(pk, by=door.address(request), reason=reason)

        return self._act(request, task, verb, words.done)

    def retry(self, request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
        """Submit it again as a new task."""
        door.require(request, "retry_task")
        task = self.find(pk)
        if request.method != "POST":
            return self._confirm(
                request,
                task,
                question="Retry this task?",
                text="A new task with the same payload, priority, files and callback "
                "is submitted for the same caller. This one stays as it is.",
                label="Submit it again",
                refused="" if task.state in TERMINAL else "It has not ended yet.",
            )

        def verb() -> Snapshot:
            return retrying.retry(pk, door.address(request))

        return self._act(request, task, verb, "Submitted again; this is the new task.")

    def file(
        self, request: HttpRequest, pk: uuid.UUID, file_id: uuid.UUID
    ) -> HttpResponseBase:
        """A file as a download; a browser must never run it (G57)."""
        if not files.may_open(request, pk):
            raise PermissionDenied
        return files.download(get_object_or_404(Attachment, pk=file_id, task_id=pk))

    def _act(
        self, request: HttpRequest, task: Task, verb: Callable[[], Snapshot], done: str
    ) -> HttpResponse:
        try:
            after = verb()
        except SynapseError as refused:
            status = refused.spec.http_status
            now = self.find(task.pk)
            return self.show(request, now, status=status, refusal=refused.message)
        self.log_change(request, task, done)
        messages.success(request, done)
        return HttpResponseRedirect(self.url("change", after.id))

    def _confirm(self, request: HttpRequest, task: Task, **words: Any) -> HttpResponse:
        """Any: what the template takes."""
        return self.page(
            request,
            CONFIRM,
            title=str(words["question"]),
            original=task,
            back=self.url("change", task.pk),
            **words,
        )
