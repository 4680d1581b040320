"""GET /capabilities."""

from django.http import HttpResponse
from rest_framework.request import Request

from tasks_app.api import openapi
from tasks_app.api.capabilities import document
from tasks_app.api.rendering import answer
from tasks_app.api.views.door import Door


class CapabilityViewSet(Door):
    """The node is the agent; its task types are its own and those of live peers."""

    @openapi.capabilities
    def retrieve(self, request: Request) -> HttpResponse:
        """List task types and limits."""
        agent_id = request.query_params.get("agent_id")
        return answer({"success": True} | document(agent_id))
