"""What happened to a question at the desk, for those who have to be told.

Written by the ledger with the change itself, so that a crash loses none. Whoever makes
notifications of them reads those without `told_at`, in order, and sets it.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tasks_app.models.question import Question


class DeskEvent(models.Model):
    """One thing that people should hear of. Never changed but for `told_at`."""

    class Kind(models.TextChoices):
        """In the order of a long wait."""

        ASKED = "asked", "Asked"
        REMINDED = "reminded", "Reminded"
        CLIMBED = "climbed", "Went to the next level by itself"
        DUE_SOON = "due_soon", "Will be rejected soon"
        ESCALATED = "escalated", "Given to the next level by hand"
        DELEGATED = "delegated", "Given to somebody"

    question = models.ForeignKey(
        Question, on_delete=models.CASCADE, related_name="events"
    )
    kind = models.CharField(max_length=10, choices=Kind)
    # Where the question is since; `from_level` differs when it went there.
    level = models.SmallIntegerField()
    from_level = models.SmallIntegerField()
    # Ids of the groups that the rule for this level names; some may be gone by now.
    groups = models.JSONField(default=list)
    # Of a delegation: who has it now.
    to_user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    # `desk:<user>`, or `system:ladder` for the clock.
    by = models.CharField(max_length=200)
    comment = models.TextField(default="")
    # When silence is a rejection, as it stood then.
    due_at = models.DateTimeField()
    created_at = models.DateTimeField()
    # When notifications were made of it; None: not yet.
    told_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["id"], name="event_untold", condition=Q(told_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.question_id}"
