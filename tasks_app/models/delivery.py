"""The outbox: every callback that must reach somebody, and every try to send it."""

from django.db import models
from django.db.models import Q

from agents_app.protocol import ids
from tasks_app.models.task import Task


class DeliveryState(models.TextChoices):
    """Where a delivery stands; only WAITING ones are sent."""

    WAITING = "waiting", "Waiting"
    DELIVERED = "delivered", "Delivered"
    SUPERSEDED = "superseded", "Superseded by the final one"
    DEAD = "dead", "Given up"


class DeliveryKind(models.TextChoices):
    """What travels."""

    CALLBACK = "callback", "Callback"
    MESSAGE = "message", "Message to an agent"
    # `body` is its ticket; the bytes are those of the attachment that it names.
    FILE = "file", "File for an agent"


class Delivery(models.Model):
    """One event for one receiver, written with the state change that caused it.

    A message for a peer that cannot be called waits without `next_try_at` until it is
    fetched from the mailbox and acknowledged.

    The id is the Standard Webhooks `webhook-id`: the same on every try.
    """

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    # Found by the unique pair with its sequence.
    # None: a message to a peer that is about no task.
    task = models.ForeignKey(
        Task,
        null=True,
        on_delete=models.CASCADE,
        related_name="deliveries",
        db_index=False,
    )
    kind = models.CharField(
        max_length=10, choices=DeliveryKind, default=DeliveryKind.CALLBACK
    )
    peer = models.ForeignKey(
        "agents_app.Agent", null=True, on_delete=models.CASCADE, related_name="+"
    )
    sequence = models.IntegerField()
    event = models.CharField(max_length=32)
    terminal = models.BooleanField()
    url = models.CharField(max_length=2048)
    # Whom it is sent to, as an A2A address: no caller and no peer holds all threads of
    # a courier, and none has more tries at a time at one scheme://host:port (G24).
    party = models.CharField(max_length=200)
    endpoint = models.CharField(max_length=300)
    # The exact text that is signed and sent.
    body = models.TextField()
    state = models.CharField(
        max_length=10, choices=DeliveryState, default=DeliveryState.WAITING
    )
    tries = models.IntegerField(default=0)
    # The try at which the schedule starts anew: moved by a replay.
    schedule_from = models.IntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)
    leased_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "callback"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "kind", "sequence"], name="delivery_sequence"
            )
        ]
        indexes = [
            models.Index(
                fields=["next_try_at"],
                name="delivery_due",
                condition=Q(state="waiting"),
            ),
            # The same for each party in turn.
            models.Index(
                fields=["party", "next_try_at"],
                name="delivery_turn",
                condition=Q(state="waiting"),
            ),
            # What goes first in the queue of a task, and what last.
            models.Index(
                fields=["task", "kind", "sequence"],
                name="delivery_queue",
                condition=Q(state="waiting"),
            ),
            # What is in flight: how many each endpoint has.
            models.Index(
                fields=["leased_until"],
                name="delivery_leased",
                condition=Q(leased_until__isnull=False),
            ),
            # The mailbox of a peer, oldest first, and how much lies in it.
            models.Index(
                fields=["peer", "id"],
                name="delivery_of_peer",
                condition=Q(state="waiting", peer__isnull=False),
            ),
            # The dead-letter list.
            models.Index(
                fields=["ended_at"], name="delivery_dead", condition=Q(state="dead")
            ),
        ]
        permissions = [("replay_delivery", "Can send a callback again")]

    def __str__(self) -> str:
        return f"{self.event} #{self.sequence} of {self.task_id}"


class DeliveryAttempt(models.Model):
    """One try to send a delivery and what came of it."""

    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="attempts", db_index=False
    )
    number = models.IntegerField()
    started_at = models.DateTimeField()
    elapsed_ms = models.IntegerField()
    status = models.IntegerField(null=True)
    error = models.CharField(max_length=50, default="")
    response = models.TextField(default="")

    class Meta:
        ordering = ["delivery", "number"]
        indexes = [models.Index(fields=["delivery", "number"], name="delivery_attempt")]

    def __str__(self) -> str:
        return f"try {self.number}: {self.status or self.error}"
