"""Every envelope a peer sent, with the answer it got: a repeat gets the same again."""

from django.db import models


class Received(models.Model):
    """Remembered for longer than a replay could be accepted (design §3, G31)."""

    sender = models.CharField(max_length=200)
    message_id = models.CharField(max_length=128)
    sha256 = models.CharField(max_length=64)
    # The envelope of the ack or nack, as sent.
    reply = models.TextField()
    # The error code of a nack.
    code = models.IntegerField(null=True)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "received messages"
        constraints = [
            models.UniqueConstraint(
                fields=["sender", "message_id"], name="received_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.sender} {self.message_id}"
