"""The message log: every A2A message of a task, in either direction, in order."""

from django.db import models

from tasks_app.models.task import Task


class Message(models.Model):
    """One message as it was applied. Never changed, never deleted alone."""

    message_id = models.CharField(max_length=128)
    task = models.ForeignKey(
        Task, on_delete=models.CASCADE, related_name="messages", db_index=False
    )
    # Its place in the task's history: 1, 2, 3 … without gaps.
    generation = models.IntegerField()
    # A `p2p:` type, or an internal one (`changes.Internal`) that never leaves the node.
    type = models.CharField(max_length=32)
    sender = models.CharField(max_length=200)
    recipient = models.CharField(max_length=200)
    payload = models.JSONField()
    in_reply_to = models.CharField(max_length=128, null=True)  # noqa: DJ001
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["task", "generation"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "generation"], name="message_generation"
            )
        ]

    def __str__(self) -> str:
        return f"{self.generation} {self.type}"
