"""The tables of a task service as one would write it in an afternoon."""

from django.db import models


class Columns(models.Model):
    task_type = models.CharField(max_length=100)
    payload = models.JSONField()
    priority = models.CharField(max_length=10, default="normal")
    state = models.CharField(max_length=16, default="pending")
    progress = models.IntegerField(default=0)
    result = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.FloatField(null=True)
    completed_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.task_type} {self.pk}"


class Bare(Columns):
    """What the bare view inserts."""


class Row(Columns):
    """A task of the hand-written version."""


class LogEntry(models.Model):
    row = models.ForeignKey(Row, on_delete=models.CASCADE)
    type = models.CharField(max_length=32)
    payload = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.type} of {self.row_id}"
