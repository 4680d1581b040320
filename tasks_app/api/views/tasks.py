"""Tasks: submit with files, read, list, cancel, answer (P2A 3.1)."""

from django.http import HttpResponse
from django.utils.http import parse_etags
from rest_framework.request import Request

from agents_app.protocol.states import TERMINAL
from tasks_app import desk, lifecycle
from tasks_app.api import (
    bodies,
    listed,
    listing,
    openapi,
    presenting,
    reading,
    submitting,
    uploads,
)
from tasks_app.api.rendering import answer
from tasks_app.api.requests import CancelRequest, ProvideRequest
from tasks_app.api.views.door import Door, caller
from tasks_app.api.views.submit import accepted
from tasks_app.models import Task

# How often a caller that polls should come back (P2A 10.2).
_POLL_SECONDS = "5"


class TaskViewSet(Door):
    """Every action sees the tasks of its caller only."""

    queryset = Task.objects.none()
    filter_backends = [listing.StrictFilterBackend]
    filterset_class = listing.TaskFilter

    @openapi.submit_form
    def upload(self, request: Request) -> HttpResponse:
        """Submit a task with files."""
        key = submitting.key_of(request.META)
        with uploads.read_form(request) as (fields, files):
            wanted = submitting.wanted_in_form(fields)
            submitted = submitting.submit(
                caller(request), wanted, key=key, uploads=files
            )
        return accepted(*submitted)

    @openapi.detail
    def retrieve(self, request: Request, task_id: str) -> HttpResponse:
        """Read a task with its result and files."""
        row = reading.task_of(caller(request).caller_id, task_id, reading.TASK)
        question = reading.open_questions([row]).get(row["id"])
        task = presenting.task(row, question, reading.files_of(row))
        return answer({"success": True, "task": task, "error": None})

    @openapi.status
    def status(self, request: Request, task_id: str) -> HttpResponse:
        """Read how far a task is; cheap, made for polling."""
        row = reading.task_of(caller(request).caller_id, task_id, reading.STATUS)
        # Every change of a task is a message, and messages are counted.
        headers = {"ETag": f'"{row["generation"]}"'}
        if row["state"] not in TERMINAL:
            headers["Retry-After"] = _POLL_SECONDS
        if _knows(request, headers["ETag"]):
            return HttpResponse(status=304, headers=headers)
        question = reading.open_questions([row]).get(row["id"])
        return answer(presenting.status(row, question), headers=headers)

    @openapi.listing
    def list(self, request: Request) -> HttpResponse:
        """List tasks, newest first."""
        own = Task.objects.filter(caller_id=caller(request).caller_id)
        found = self.filter_queryset(own)
        page = listing.Page.of(request.query_params)
        rows = listed.rows(page.of_tasks(found))
        has_more = len(rows) > page.limit
        del rows[page.limit :]
        total = listing.total(found, page, len(rows), has_more)
        questions, files = listed.open_questions(rows), listed.files_of_all(rows)
        return answer(
            {
                "success": True,
                "tasks": [
                    presenting.in_list(row, questions.get(row["id"]), files[row["id"]])
                    for row in rows
                ],
                "total": total.number,
                "limit": page.limit,
                "offset": page.offset,
                "has_more": has_more,
                "total_is_exact": total.exact,
                "next_cursor": listing.cursor_after(rows[-1]) if has_more else None,
            }
        )

    @openapi.cancel
    def cancel(self, request: Request, task_id: str) -> HttpResponse:
        """Cancel a task; 200 only if it is cancelled when this returns."""
        own = reading.task_of(caller(request).caller_id, task_id, reading.ID)
        body = CancelRequest.parse(bodies.json_object_or_nothing(request))
        task = lifecycle.cancel(
            own["id"], by=caller(request).address, reason=body.reason or ""
        )
        return answer(presenting.changed(task))

    @openapi.info
    def info(self, request: Request, task_id: str) -> HttpResponse:
        """Supply what an agent asked for (A2A 6.8)."""
        own = reading.task_of(caller(request).caller_id, task_id, reading.ID)
        body = ProvideRequest.parse(bodies.json_object(request))
        task = desk.provide(
            own["id"],
            body.provided_info,
            by=caller(request).address,
            version=body.version,
        )
        waiting = reading.open_questions([{"id": task.id, "state": task.state}])
        question = waiting.get(task.id)
        pending = None if question is None else presenting.pending_action(question)
        return answer(presenting.changed(task, pending))


def _knows(request: Request, etag: str) -> bool:
    """Whether the caller has this version; W/ makes no difference here (RFC 9110)."""
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    return any(tag in ("*", etag, f"W/{etag}") for tag in known)
