"""The rules of the ladder: what holds at one level, for one task type or for all.

Read when a question is asked, which then keeps what it was asked under (`ladder`).
"""

from datetime import timedelta

from django.contrib.auth.models import Group
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from agents_app.protocol import ids

ANY_TYPE = "*"
TOP_LEVEL = 3
LEVELS = [(1, "1 operator"), (2, "2 supervisor"), (3, "3 owner")]
_SHORTEST = timedelta(minutes=1)
_LONGEST = timedelta(days=365)


class RungPolicy(models.Model):
    """One level of one task type; a type's own row counts before that of `*`.

    Where there is none, one approval decides, silence is a rejection at the deadline of
    the question, and nobody in particular is told.
    """

    class Then(models.TextChoices):
        """What becomes of a question that nobody at this level answered in time."""

        CLIMB = "climb", "Goes to the next level"
        REJECT = "reject", "Is rejected"

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    task_type = models.CharField(
        max_length=128,
        default=ANY_TYPE,
        help_text="As agents name it; * holds for all types without a rule of their "
        "own at this level.",
    )
    level = models.SmallIntegerField(choices=LEVELS)
    answer_within = models.DurationField(
        "time to answer",
        default=timedelta(hours=4),
        validators=[MinValueValidator(_SHORTEST), MaxValueValidator(_LONGEST)],
        help_text="As hours:minutes:seconds, or “2 00:00:00” for two days.",
    )
    reminders = models.SmallIntegerField(
        default=0,
        validators=[MinValueValidator(0), MaxValueValidator(20)],
        help_text="So many times the people are reminded first when it has passed, and "
        "it begins again.",
    )
    then = models.CharField(
        "what happens then", max_length=8, choices=Then, default=Then.REJECT
    )
    tell = models.ManyToManyField(
        Group,
        blank=True,
        related_name="+",
        verbose_name="who is told",
        help_text="Groups that hear of it when it is asked, climbs here, or is late.",
    )
    approvals = models.SmallIntegerField(
        "approvals needed",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(20)],
        help_text="From different people, and for the same answer.",
    )
    rejections = models.SmallIntegerField(
        "rejections needed",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(20)],
    )
    separate = models.BooleanField(
        "separation of duty",
        default=False,
        help_text="The caller's own staff cannot decide what the caller submitted.",
    )
    deputies = models.BooleanField(
        "deputies may decide",
        default=True,
        help_text="In the name of those who are out of office.",
    )

    class Meta:
        verbose_name = "ladder rule"
        ordering = ["task_type", "level"]
        constraints = [
            models.UniqueConstraint(
                fields=["task_type", "level"],
                name="rung_of_type",
                violation_error_message="There is a rule for this type and level.",
            ),
            models.CheckConstraint(
                # Nothing is above the top: silence there is a rejection (G42).
                condition=~Q(level=TOP_LEVEL, then="climb"),
                name="rung_top_ends",
                violation_error_message="There is no level above 3: it is rejected.",
            ),
            models.CheckConstraint(
                condition=Q(level__in=[1, 2, 3]), name="rung_level_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_type}/{self.level}"
