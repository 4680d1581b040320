"""Files: uploaded with a task or attached by its handler. The bytes lie in storage."""

from django.db import models

from agents_app.protocol import ids
from tasks_app.models.task import Task


class Attachment(models.Model):
    """One file under an id of ours; the caller's name for it is only shown."""

    class Kind(models.TextChoices):
        """Which way it travels."""

        INPUT = "input"
        RESULT = "result"

    # What `source_url` holds when it is no address; those are checked, so none of them
    # can read like this. The bytes are here; the peer brings them; nobody will.
    HERE = ""
    AWAITED = "awaited"
    REFUSED = "none"

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="attachments")
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(max_length=255)
    content_type = models.CharField(max_length=100)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    # The address at which a peer keeps it, until it is here; or one of the three above.
    source_url = models.CharField(max_length=2048, blank=True, default=HERE)
    # When the courier tries next; nothing when it never does (again).
    fetch_at = models.DateTimeField(null=True)
    fetch_tries = models.SmallIntegerField(default=0)
    # Of the step that attached it, in the journal: without a record of that step the
    # next attempt runs it again, and drops what it had attached.
    position = models.IntegerField(null=True)

    class Meta:
        ordering = ["created_at", "id"]
        indexes = [
            models.Index(
                fields=["fetch_at"],
                name="attachment_fetch",
                condition=models.Q(fetch_at__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return self.name
