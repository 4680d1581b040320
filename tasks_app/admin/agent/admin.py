"""The list of agents; the page behind it is in `pages`."""

from django.utils import timezone
from django.utils.safestring import SafeString

from agents_app.models import Agent
from tasks_app import routing
from tasks_app.admin.agent.pages import AgentPages
from tasks_app.admin.framework import display
from tasks_app.admin.listing import age_cell, quiet_cell

_STATES = {"enabled": "success", "draining": "warning", "disabled": "danger"}


class AgentAdmin(AgentPages):
    """Few rows: every cell may compute."""

    list_display = ("id", "name", "state_label", "presence", "load", "types", "way")
    search_fields = ("id", "name")
    ordering = ("id",)
    sortable_by = ("id", "name")

    @display("State", label=_STATES)
    def state_label(self, agent: Agent) -> tuple[str, str]:
        return agent.state, agent.state

    @display("Last heartbeat")
    def presence(self, agent: Agent) -> SafeString:
        """How long ago, and whether that is too long."""
        if agent.heartbeat_at is None:
            return quiet_cell("never")
        now = timezone.now()
        if not agent.is_online(now, routing.patience()):
            return quiet_cell("offline")
        return age_cell(agent.heartbeat_at, now)

    @display("Load")
    def load(self, agent: Agent) -> str:
        """As it says itself."""
        if agent.capacity is None:
            return "—"
        return f"{agent.active} of {agent.capacity}, {agent.status}"

    @display("Task types")
    def types(self, agent: Agent) -> int:
        return len(agent.task_types())

    @display("Reached by")
    def way(self, agent: Agent) -> str:
        if agent.fetch and agent.endpoint:
            return "endpoint; we fetch"
        return "endpoint" if agent.endpoint else "mailbox"
