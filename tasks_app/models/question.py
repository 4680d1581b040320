"""What an agent asks: a fact from the caller, or a decision from an operator.

A task in `info_needed`, `need_human` or `human_deciding` has exactly one open
question; in every other state it has none (design.md §4).
"""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from agents_app.protocol import ids
from tasks_app.models.task import Task


class QuestionState(models.TextChoices):
    """Where a question stands; all but OPEN are final."""

    OPEN = "open", "Open"
    ANSWERED = "answered", "Answered"
    EXPIRED = "expired", "Ended by its deadline"
    WITHDRAWN = "withdrawn", "No longer needed"


class Question(models.Model):
    """One `p2p:task_need_info` or `p2p:task_need_human` (seed 000 §6.7, §6.9)."""

    class Kind(models.TextChoices):
        """Who can answer: the caller (info) or an operator (human)."""

        INFO = "info", "Information"
        HUMAN = "human", "Decision"

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="questions")
    kind = models.CharField(max_length=8, choices=Kind)
    # Raised each time the executor replaces its question: answers fit one version.
    version = models.IntegerField()
    # Position in the handler's journal where the answer belongs.
    position = models.IntegerField(null=True)
    state = models.CharField(
        max_length=10, choices=QuestionState, default=QuestionState.OPEN
    )
    # Who answers: our desk (or caller), or the peer that asked for the task.
    owner = models.CharField(
        max_length=8, choices=[("us", "Us"), ("peer", "The requesting agent")]
    )
    # The message that asked; answers are in reply to it.
    message_id = models.CharField(max_length=128)
    # How the executor names the question and its version, for the answer.
    request_id = models.CharField(max_length=128)
    wire_version = models.IntegerField(null=True)
    asked_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    # When silence ends it (G42).
    due_at = models.DateTimeField()

    # human
    level = models.SmallIntegerField(default=1)
    # The rules it was asked under (`ladder.Ladder`); None where nobody made any.
    ladder = models.JSONField(null=True)
    # Longer its executor does not wait, if it said so: no climb moves `due_at` beyond.
    answer_by = models.DateTimeField(null=True)
    # Since when it is at this level, and up to when the clock has done its part; None:
    # since it was asked.
    level_since = models.DateTimeField(null=True)
    stepped_at = models.DateTimeField(null=True)
    reason = models.JSONField(default=dict)
    options = models.JSONField(default=list)
    suggested_value = models.JSONField(null=True)
    decision_schema = models.JSONField(null=True)
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )
    claimed_at = models.DateTimeField(null=True)

    # info: what was asked, what has been provided so far
    missing_fields = models.JSONField(default=list)
    provided = models.JSONField(default=dict)

    # the end: the decision or the provided fields, and who gave them
    answer = models.JSONField(null=True)
    closed_by = models.CharField(max_length=200, default="")
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["due_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["task"],
                name="question_one_open",
                condition=Q(state="open"),
            )
        ]
        indexes = [
            # The desk's inbox: open ones, most urgent first.
            models.Index(
                fields=["kind", "due_at"],
                name="question_inbox",
                condition=Q(state="open"),
            )
        ]
        permissions = [
            ("decide_level_1", "Can decide level 1 requests"),
            ("decide_level_2", "Can decide level 2 requests"),
            ("decide_level_3", "Can decide level 3 requests"),
            ("release_question", "Can release what others hold"),
            ("provide_info", "Can supply missing information for a caller"),
        ]

    def __str__(self) -> str:
        kind = "HiL" if self.kind == self.Kind.HUMAN else "info"
        return f"{kind} request of {self.task_id}"

    @property
    def is_open(self) -> bool:
        """Whether it can still be answered."""
        return self.state == QuestionState.OPEN


class HumanRequestManager(models.Manager["HumanRequest"]):
    """Questions for operators."""

    def get_queryset(self) -> models.QuerySet["HumanRequest"]:
        """Only decisions."""
        return super().get_queryset().filter(kind=Question.Kind.HUMAN)


class InfoRequestManager(models.Manager["InfoRequest"]):
    """Questions for callers."""

    def get_queryset(self) -> models.QuerySet["InfoRequest"]:
        """Only missing facts."""
        return super().get_queryset().filter(kind=Question.Kind.INFO)


class HumanRequest(Question):
    """A human-in-the-loop (HiL) request, as operators see it."""

    objects: ClassVar[HumanRequestManager] = HumanRequestManager()

    class Meta:
        proxy = True
        verbose_name = "HiL request"


class InfoRequest(Question):
    """A request for missing information, as operators see it."""

    objects: ClassVar[InfoRequestManager] = InfoRequestManager()

    class Meta:
        proxy = True
        verbose_name = "info request"
