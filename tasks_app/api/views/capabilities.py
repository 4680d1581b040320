"""GET /capabilities."""

from django.http import HttpResponse
from rest_framework.request import Request

from tasks_app.api import openapi
from tasks_app.api.capabilities import document
from tasks_app.api.rendering import answer
from tasks_app.api.views.door import Door


class CapabilityViewSet(Door):
    """The node is the agent; its task types are those of all its handlers."""

    @openapi.capabilities
    def retrieve(self, request: Request) -> HttpResponse:
        """List task types and limits."""
        return answer({"success": True} | document())
