"""Separation of duty: which accounts belong to the people behind a caller."""

from django.conf import settings
from django.db import models

from agents_app.protocol import ids
from tasks_app.models.caller import Caller


class CallerStaff(models.Model):
    """An operator who works for a caller: one of its *own staff*.

    Nobody else is: neither by a group nor by having retried a task.
    """

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    caller = models.ForeignKey(Caller, on_delete=models.CASCADE, related_name="staff")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )

    class Meta:
        verbose_name = "own staff"
        verbose_name_plural = "own staff"
        ordering = ["caller", "user"]
        constraints = [
            models.UniqueConstraint(
                fields=["caller", "user"],
                name="staff_once",
                violation_error_message="This is known already.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} works for {self.caller}"
