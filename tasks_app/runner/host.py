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

        settle(self.held, plan, self.held.check)
        self.held.check()

    def record_step(self, position: int, name: str, value: object) -> None:
        """Journal a step, unless the attempt was fenced meanwhile."""
        task_id, now = self.held.task.id, timezone.now()

        def write(again: bool) -> bool:
            if again and ledger.has_step(task_id, position, now):
                return True
            return ledger.record_step(
                task_id=task_id,
                attempt=self.held.attempt,
                position=position,
                name=name,
                value=value,
                now=now,
            )

        if not ledger.endure_write(write, self.held.check):
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
        if not self._add(file):
            storage.discard([file_id])
            self._fenced()
        self.attached.append(str(file_id))
        return str(file_id)

    def _add(self, file: NewAttachment) -> bool:
        held = self.held

        def write(again: bool) -> bool:
            if again and ledger.has_file(file.id):
                return True
            return ledger.attach(file, task_id=held.task.id, attempt=held.attempt)

        return ledger.endure_write(write, held.check)

    def _fenced(self) -> None:
        task_id = self.held.task.id
        self.held.stop(why_lost(ledger.endure(lambda: ledger.load(task_id))))
        self.held.check()
