"""Votes on a question that one person alone does not decide. The ledger writes them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from tasks_app.models.question import Question


class Vote(models.Model):
    """What one person answers, at the level where the question was.

    `voter` gave it, `principal` is the person in whose right: another one for a deputy.
    Neither of the two has a second vote. A vote counts while the question is at its
    level, it is not withdrawn, and its principal still has the right.
    """

    question = models.ForeignKey(
        Question, on_delete=models.CASCADE, related_name="votes"
    )
    level = models.SmallIntegerField()
    voter = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    principal = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    # `decision` and `decided_by` as in A2A 6.10.
    decision = models.JSONField()
    decided_by = models.JSONField()
    created_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["question", "level", "voter"],
                name="vote_once_each",
                condition=Q(withdrawn_at=None),
            ),
            models.UniqueConstraint(
                fields=["question", "level", "principal"],
                name="vote_once_for_each",
                condition=Q(withdrawn_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decided_by.get('user_id')} on {self.question_id}"
