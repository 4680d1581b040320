"""The addresses of A2A (design §3)."""

from django.urls import path

from tasks_app.api.a2a.files import FileViewSet
from tasks_app.api.a2a.views import MessageViewSet, StateViewSet

urlpatterns = [
    path("messages", MessageViewSet.as_view({"post": "create", "get": "list"})),
    path("tasks/<str:task_id>", StateViewSet.as_view({"get": "retrieve"})),
    path(
        "files/<str:file_id>",
        FileViewSet.as_view({"get": "retrieve", "post": "create"}),
    ),
]
