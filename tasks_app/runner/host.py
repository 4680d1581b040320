"""What a handler reaches of the world: every write says which attempt it is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from agents_app.host import StopReason
from agents_app.protocol import ids
from tasks_app import ledger, lifecycle, storage
from tasks_app.changes import Change, Snapshot
from tasks_app.models import Attachment
from tasks_app.runner.held import Held
from tasks_app.transition import attempts


@dataclass(slots=True)
class AttemptHost:
    """The `Host` of one attempt (agents_app.host) on the ledger."""

    held: Held
    attached: list[str] = field(default_factory=list)

    def stopped(self) -> StopReason | None:
        """Why the attempt must not go on; the keeper finds out."""
        return self.held.reason

    def report(self, progress: int, message: str, eta: datetime | None) -> None:
        """Log progress and show it to the caller."""

        def plan(task: Snapshot) -> Change:
            return attempts.report(
                task,
                progress=progress,
                message=message,
                eta=eta,
                now=timezone.now(),
                policy=lifecycle.policy(),
            )

        settle(self.held, plan)
        self.held.check()

    def record_step(self, position: int, name: str, value: object) -> None:
        """Journal a step, unless the attempt was fenced meanwhile."""
        kept = ledger.record_step(
            task_id=self.held.task.id,
            attempt=self.held.attempt,
            position=position,
            name=name,
            value=value,
            now=timezone.now(),
        )
        if not kept:
            self._fenced()

    def attach(self, name: str, data: bytes, content_type: str) -> str:
        """Keep a result file; its row is written only while the attempt is live."""
        self.held.check()
        file_id = ids.new_id()
        stored = storage.keep_bytes(file_id, data)
        Attachment.objects.create(
            id=file_id,
            task_id=self.held.task.id,
            kind=Attachment.Kind.RESULT,
            name=name[:255],
            content_type=content_type[:100],
            size=stored.size,
            sha256=stored.sha256,
            created_at=timezone.now(),
        )
        self.attached.append(str(file_id))
        return str(file_id)

    def _fenced(self) -> None:
        self.held.stop(why_lost(ledger.load(self.held.task.id)))
        self.held.check()


def settle(held: Held, plan: Callable[[Snapshot], Change]) -> bool:
    """Write a change of a live attempt; False when the attempt is not live any more.

    The row may have moved on without fencing us (never so today, but a reader must not
    have to prove it), so a lost write reads again.
    """
    with held.lock:
        planned = plan(held.task)
        while not lifecycle.commit([planned]):
            task = ledger.load(held.task.id)
            if task is None or not task.running or task.attempt != held.attempt:
                held.stop(why_lost(task))
                return False
            planned = plan(task)
        held.task = planned.after
        held.renewed_at = planned.after.updated_at
        return True


def why_lost(task: Snapshot | None) -> StopReason:
    """Why an attempt does not hold its task any more."""
    if task is not None and task.state == "cancelled":
        return StopReason.CANCELLED
    return StopReason.FENCED
