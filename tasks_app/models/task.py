"""The task row: the truth about one task, and its place in the queue.

Only `tasks_app.ledger` writes `state`. `generation` counts the messages of the task;
every write says which generation it saw, so the row is its own optimistic lock.
"""

from django.db import models
from django.db.models import Q

from agents_app.protocol import ids
from agents_app.protocol.payloads import Priority
from agents_app.protocol.states import UNSUCCESSFUL, TaskState
from tasks_app.models.caller import Caller


class Task(models.Model):
    """One piece of P2A work (P2A 7.3) in one of the A2A states (A2A 4.1)."""

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    # Whose P2A task it is; nobody's when a peer asked for it.
    caller = models.ForeignKey(
        Caller,
        null=True,
        on_delete=models.PROTECT,
        related_name="tasks",
        db_index=False,
    )
    # The two sides as A2A addresses, and the requester's own name for the task.
    requester = models.CharField(max_length=200)
    executor = models.CharField(max_length=200)
    # The caller chose the executor: it is never offered to another one.
    pinned = models.BooleanField(default=False)
    requester_task_id = models.CharField(max_length=128, null=True)  # noqa: DJ001
    task_type = models.CharField(max_length=100)
    lane = models.CharField(max_length=50)
    external_task_id = models.CharField(max_length=255, null=True)  # noqa: DJ001
    priority = models.CharField(
        max_length=10,
        choices=[(priority.value, priority.value) for priority in Priority],
    )
    # As submitted. Facts provided later reach the handler through its journal, so that
    # a resumed run sees what the first one saw.
    payload = models.JSONField()

    state = models.CharField(
        max_length=16, choices=[(state.value, state.value) for state in TaskState]
    )
    generation = models.IntegerField()
    progress = models.SmallIntegerField(default=0)
    status_message = models.TextField(default="")
    eta = models.DateTimeField(null=True)
    result = models.JSONField(null=True)
    error = models.JSONField(null=True)

    callback_url = models.CharField(max_length=2048, null=True)  # noqa: DJ001
    callback_token = models.TextField(null=True)  # noqa: DJ001
    callback_events = models.JSONField(null=True)
    callback_sequence = models.IntegerField(default=0)

    idempotency_key = models.CharField(max_length=255, null=True)  # noqa: DJ001
    fingerprint = models.CharField(max_length=64, default="")

    # The queue. `ready_at` empty: nothing for a worker to do. `queue_key` orders
    # what is ready: ready time plus a penalty per priority, in ms since the epoch.
    ready_at = models.DateTimeField(null=True)
    queue_key = models.BigIntegerField(null=True)

    # The live attempt. `attempt` counts claims and fences: a write of an older
    # attempt changes nothing. `failures` counts attempts that died in a row.
    attempt = models.IntegerField(default=0)
    failures = models.IntegerField(default=0)
    worker = models.CharField(max_length=200, default="")
    leased_until = models.DateTimeField(null=True)
    attempt_started_at = models.DateTimeField(null=True)

    # Clock. `spent_ms` is the run time of ended attempts; waits do not count.
    # `due_at` is when the sweep ends the current state (G10), or takes an open question
    # one step further (`ladder`).
    max_duration_s = models.IntegerField()
    spent_ms = models.BigIntegerField(default=0)
    due_at = models.DateTimeField(null=True)

    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)
    retry_of = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="retries"
    )

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            # GET /tasks: newest first, of one caller; keyset paging reads it too.
            models.Index(
                fields=["caller", "-created_at", "-id"], name="task_of_caller"
            ),
            # The same of status failed or cancelled: few, and found without the others.
            # A submit does not touch it, nor does a task that goes well.
            models.Index(
                fields=["caller", "-created_at", "-id"],
                name="task_unsuccessful",
                condition=Q(state__in=list(map(str, UNSUCCESSFUL))),
            ),
            models.Index(
                fields=["caller", "external_task_id"],
                name="task_external",
                condition=Q(external_task_id__isnull=False),
            ),
            # ledger.claim
            models.Index(
                fields=["lane", "queue_key"],
                name="task_queue",
                condition=Q(queue_key__isnull=False),
            ),
            # sweep: expired leases; claim: running tasks of limited types.
            models.Index(
                fields=["leased_until"],
                name="task_leased",
                condition=Q(leased_until__isnull=False),
            ),
            # Live tasks at one peer: its capacity, and its silence. Ours have a lane.
            models.Index(
                fields=["executor"],
                name="task_of_executor",
                condition=Q(due_at__isnull=False, lane=""),
            ),
            # Unfinished tasks of one peer that asked for them: how many it may have.
            models.Index(
                fields=["requester"],
                name="task_open_at_requester",
                condition=Q(due_at__isnull=False, requester_task_id__isnull=False),
            ),
            # sweep: deadlines
            models.Index(
                fields=["due_at"], name="task_due", condition=Q(due_at__isnull=False)
            ),
        ]
        constraints = [
            # The requester makes the id (A2A 6.1): unique per requester (decision 4).
            models.UniqueConstraint(
                fields=["requester", "requester_task_id"],
                name="task_of_requester",
                condition=Q(requester_task_id__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["caller", "idempotency_key"],
                name="task_idempotency",
                condition=Q(idempotency_key__isnull=False),
            ),
        ]
        permissions = [
            ("cancel_task", "Can cancel a task"),
            ("retry_task", "Can retry a task"),
        ]

    def __str__(self) -> str:
        return f"{self.task_type} {self.id}"

    @property
    def asker(self) -> str:
        """Whose task it is, for people: the caller's name, or the agent's address."""
        return str(self.caller) if self.caller else self.requester
