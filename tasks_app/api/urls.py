"""The addresses of P2A (seed 003 §3.1), without trailing slashes, and ours beside them.

Ids are taken as any text: a malformed one is answered like an unknown one.
"""

from django.urls import include, path

from tasks_app.api.views.capabilities import CapabilityViewSet
from tasks_app.api.views.docs import DocsView, SchemaViewSet
from tasks_app.api.views.files import FileViewSet
from tasks_app.api.views.submit import SubmitViewSet
from tasks_app.api.views.tasks import TaskViewSet

_task = TaskViewSet.as_view

urlpatterns = [
    path("task", SubmitViewSet.as_view({"post": "create"})),
    path("task/multipart", _task({"post": "upload"})),
    path("task/<str:task_id>", _task({"get": "retrieve"})),
    path("task/<str:task_id>/status", _task({"get": "status"})),
    path("task/<str:task_id>/cancel", _task({"post": "cancel"})),
    path("task/<str:task_id>/info", _task({"post": "info"})),
    path(
        "task/<str:task_id>/files/<str:file_id>",
        FileViewSet.as_view({"get": "retrieve"}),
    ),
    path("tasks", _task({"get": "list"})),
    path("capabilities", CapabilityViewSet.as_view({"get": "retrieve"})),
    path("a2a/", include("tasks_app.api.a2a.urls")),
    path("schema", SchemaViewSet.as_view({"get": "retrieve"})),
    path("docs", DocsView.as_view()),
    path("docs/", DocsView.as_view()),  # Typed by people.
]
