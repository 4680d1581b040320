"""Attempts that ended, and the journal that lets the next attempt resume."""

from django.db import models

from tasks_app.models.task import Task


class Attempt(models.Model):
    """One try that is over. The live one is on the task row itself.

    `outcome`: completed, failed, rejected, parked, retry, lost, cancelled, timeout,
    returned (claimed with others, but never begun).
    """

    task = models.ForeignKey(
        Task, on_delete=models.CASCADE, related_name="attempts", db_index=False
    )
    number = models.IntegerField()
    worker = models.CharField(max_length=200)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    outcome = models.CharField(max_length=16)
    # For operators only; never sent to a caller (G60).
    trace = models.TextField(default="")

    class Meta:
        ordering = ["task", "number"]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="attempt_number")
        ]

    def __str__(self) -> str:
        return f"attempt {self.number}: {self.outcome}"


class JournalEntry(models.Model):
    """What one durable call of a handler returned (design.md §6)."""

    class Kind(models.TextChoices):
        """Which call it was."""

        STEP = "step"
        INFO = "info"
        HUMAN = "human"

    task = models.ForeignKey(
        Task, on_delete=models.CASCADE, related_name="journal", db_index=False
    )
    position = models.IntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    # Of no stated length: an info entry is named by all the fields it asked for.
    name = models.TextField()
    value = models.JSONField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["task", "position"]
        verbose_name_plural = "journal entries"
        constraints = [
            models.UniqueConstraint(
                fields=["task", "position"], name="journal_position"
            )
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.kind} {self.name}"
