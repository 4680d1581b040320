"""What a handler reaches of the world: every write says which attempt it is."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from agents_app.host import StopReason
from agents_app.protocol import ids
from tasks_app import ledger, lifecycle, storage
from tasks_app.changes import Change, Snapshot
from tasks_app.ledger import NewAttachment
from tasks_app.models import Attachment
from tasks_app.runner.held import Held
from tasks_app.runner.settling import settle, why_lost
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

    def attach(
        self, name: str, data: bytes, content_type: str, position: int | None
    ) -> str:
        """Keep a result file; its row is written only while the attempt is live."""
        self.held.check()
        file_id = ids.new_id()
        stored = storage.keep_bytes(file_id, data)
        file = NewAttachment(
            id=file_id,
            kind=Attachment.Kind.RESULT,
            name=name[:255],
            content_type=content_type[:100],
            size=stored.size,
            sha256=stored.sha256,
            created_at=timezone.now(),
            position=position,
        )
        if not ledger.attach(
            file, task_id=self.held.task.id, attempt=self.held.attempt
        ):
            storage.discard([file_id])
            self._fenced()
        self.attached.append(str(file_id))
        return str(file_id)

    def _fenced(self) -> None:
        self.held.stop(why_lost(ledger.load(self.held.task.id)))
        self.held.check()
