"""The remote agents this node talks to: who they are, how to reach and trust them."""

from datetime import datetime, timedelta

from django.db import models

from agents_app.protocol.addresses import Party

# Of an agent for which nobody said otherwise.
MAX_TASKS = 100
MAX_OPEN = 1000


class AgentState(models.TextChoices):
    """What an administrator allows; presence is told by `heartbeat_at`."""

    ENABLED = "enabled", "Enabled"
    DRAINING = "draining", "Draining: no new tasks"
    DISABLED = "disabled", "Disabled: no messages"


class Agent(models.Model):
    """One peer, known by `agent:<id>` on the wire.

    Without an endpoint it cannot be called and fetches its messages from its mailbox.
    """

    id = models.CharField(max_length=100, primary_key=True)
    name = models.CharField(max_length=100)
    endpoint = models.CharField(max_length=2048, blank=True, default="")
    # It cannot call us: our messages wait in its mailbox, behind the same endpoint.
    fetch = models.BooleanField(
        "Fetch our messages from its mailbox: it cannot call us", default=False
    )
    # One or two, sealed by the vault, the newest first. All of them sign and all
    # verify, so that neither side has to change at the same moment (G37).
    secrets = models.JSONField(default=list, editable=False)
    state = models.CharField(
        max_length=10, choices=AgentState, default=AgentState.ENABLED
    )
    # How many of our tasks it may have at a time, whatever it says itself.
    max_tasks = models.PositiveIntegerField(default=MAX_TASKS)
    # How many unfinished tasks of its own it may have here.
    max_open = models.PositiveIntegerField(default=MAX_OPEN)
    created_at = models.DateTimeField(auto_now_add=True)

    # What it last said of itself (A2A 2.5, 2.4).
    heartbeat_at = models.DateTimeField(null=True, editable=False)
    status = models.CharField(max_length=16, default="", editable=False)
    active = models.PositiveIntegerField(default=0, editable=False)
    capacity = models.PositiveIntegerField(null=True, editable=False)
    capabilities = models.JSONField(null=True, editable=False)
    capabilities_at = models.DateTimeField(null=True, editable=False)
    # Why its last card was refused; the one before it is kept.
    capabilities_problem = models.TextField(default="", editable=False)
    capabilities_asked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["id"]
        permissions = [
            ("ping_agent", "Can ping an agent and ask for its capabilities"),
            ("rotate_agent_secret", "Can rotate the secret of an agent"),
        ]

    def __str__(self) -> str:
        return self.name or self.id

    @property
    def address(self) -> str:
        """`agent:<id>` (design §3)."""
        return Party.AGENT.address(self.id)

    def is_online(self, now: datetime, patience: timedelta) -> bool:
        """Whether a heartbeat came lately."""
        return self.heartbeat_at is not None and self.heartbeat_at + patience > now

    def task_types(self) -> list[dict[str, object]]:
        """What it offered last (P2A 7.6)."""
        return list((self.capabilities or {}).get("supported_task_types", ()))
