"""The addresses of A2A (design §3).

Peers choose ids of tasks and files: any text, also slashes and line breaks.
"""

from django.urls import path, re_path

from tasks_app.api.a2a.files import FileViewSet
from tasks_app.api.a2a.views import MessageViewSet, StateViewSet

urlpatterns = [
    path("messages", MessageViewSet.as_view({"post": "create", "get": "list"})),
    re_path(
        r"^tasks/(?P<task_id>(?s:.+))\Z", StateViewSet.as_view({"get": "retrieve"})
    ),
    re_path(
        r"^files/(?P<file_id>(?s:.+))\Z",
        FileViewSet.as_view({"get": "retrieve", "post": "create"}),
    ),
]
