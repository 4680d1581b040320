"""Remote agents: who they are, whether they are there, what they can do."""

from tasks_app.admin.agent.admin import AgentAdmin

__all__ = ["AgentAdmin"]
