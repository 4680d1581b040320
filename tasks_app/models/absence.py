"""Out of office: who decides for somebody who is away, and at which levels."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q

from agents_app.protocol import ids


class Absence(models.Model):
    """From `starts_at` on, before `ends_at`, the deputy may decide for the absent one.

    The deputy borrows the absent person's rights, as they are at that moment, for the
    levels named here; deputies of deputies there are none.
    """

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="absences",
        verbose_name="who is away",
    )
    deputy = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="deputyships"
    )
    starts_at = models.DateTimeField("from")
    ends_at = models.DateTimeField("until")
    level_1 = models.BooleanField("level 1", default=True)
    level_2 = models.BooleanField("level 2", default=True)
    level_3 = models.BooleanField("level 3", default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "out of office"
        verbose_name_plural = "out of office"
        ordering = ["-starts_at", "-id"]
        indexes = [
            # Whom somebody stands in for now.
            models.Index(fields=["deputy", "ends_at"], name="absence_of_deputy")
        ]
        constraints = [
            models.CheckConstraint(
                condition=~Q(user=F("deputy")),
                name="absence_another_person",
                violation_error_message="The deputy is another person.",
            ),
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at")),
                name="absence_ends_later",
                violation_error_message="It ends after it starts.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.deputy} for {self.user}"

    def clean(self) -> None:
        """At least one level; the constraints say the rest."""
        if not any(self.levels):
            raise ValidationError("Choose at least one level.")

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels at which the deputy may decide."""
        named = {1: self.level_1, 2: self.level_2, 3: self.level_3}
        return tuple(level for level, chosen in named.items() if chosen)
