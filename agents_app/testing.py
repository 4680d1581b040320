"""Runs a handler in memory, questions and answers included: for agent authors' tests.

No Django, no database, no worker. Each answer starts the handler again from the top
with its journal, as the gateway does.
"""

import hashlib
import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from agents_app import registry
from agents_app.dispatch import Assignment, Outcome, run
from agents_app.host import AttemptStopped, StopReason, TaskFile
from agents_app.journal import HUMAN_NAME, JournalEntry, JournalKind, info_name
from agents_app.protocol.jsontext import dumps, loads
from agents_app.protocol.payloads import (
    Action,
    DecidedBy,
    Decision,
    ErrorObject,
    TaskComplete,
    TaskFailed,
    TaskNeedHuman,
    TaskNeedInfo,
)

TESTER = DecidedBy(user_id="tester", role="operator")


@dataclass(frozen=True, kw_only=True)
class Report:
    progress: int
    message: str
    eta: datetime | None


@dataclass(frozen=True, kw_only=True)
class Attached:
    id: str
    name: str
    data: bytes
    content_type: str


@dataclass(kw_only=True)
class MemoryHost:
    """A Host that keeps everything. Set `stop` to cancel; `stop_after` does so later.

    `stop_after` counts the calls that may still pass.
    """

    reports: list[Report] = field(default_factory=list)
    steps: list[JournalEntry] = field(default_factory=list)
    attached: list[Attached] = field(default_factory=list)
    stop: StopReason | None = None
    stop_after: int | None = None

    def report(self, progress: int, message: str, eta: datetime | None) -> None:
        self._pass()
        self.reports.append(Report(progress=progress, message=message, eta=eta))

    def record_step(self, position: int, name: str, value: object) -> None:
        self._pass()
        stored = loads(dumps(value))  # What comes back must have been JSON.
        entry = JournalEntry(
            position=position, kind=JournalKind.STEP, name=name, value=stored
        )
        self.steps.append(entry)

    def attach(
        self, name: str, data: bytes, content_type: str, position: int | None
    ) -> str:
        self._pass()
        file_id = f"file-{len(self.attached) + 1}"
        self.attached.append(
            Attached(id=file_id, name=name, data=data, content_type=content_type)
        )
        return file_id

    def stopped(self) -> StopReason | None:
        return self.stop

    def _pass(self) -> None:
        if self.stop_after == 0:
            self.stop = self.stop or StopReason.CANCELLED
        if self.stop is not None:
            raise AttemptStopped(self.stop)
        if self.stop_after is not None:
            self.stop_after -= 1


@dataclass(frozen=True, kw_only=True)
class HumanAnswer:
    """A person's decision; make one with `approve`, `reject`, `select`, `modify`."""

    decision: Decision
    decided_by: DecidedBy = TESTER


Answer = Mapping[str, object] | HumanAnswer


def approve(comment: str | None = None) -> HumanAnswer:
    return HumanAnswer(decision=Decision(action=Action.APPROVE, comment=comment))


def reject(comment: str | None = None) -> HumanAnswer:
    return HumanAnswer(decision=Decision(action=Action.REJECT, comment=comment))


def select(option_id: str, comment: str | None = None) -> HumanAnswer:
    decision = Decision(action=Action.SELECT, option_id=option_id, comment=comment)
    return HumanAnswer(decision=decision)


def modify(value: object, comment: str | None = None) -> HumanAnswer:
    decision = Decision(action=Action.MODIFY, value=value, comment=comment)
    return HumanAnswer(decision=decision)


@dataclass(frozen=True, kw_only=True)
class Played:
    """How a task went. `outcome` is the last attempt's, `questions` what was asked."""

    outcome: Outcome
    questions: tuple[TaskNeedInfo | TaskNeedHuman, ...]
    attempts: int
    host: MemoryHost

    @property
    def result(self) -> Mapping[str, object]:
        """AssertionError, with the reason, unless the task completed."""
        payload = self.outcome.payload
        if not isinstance(payload, TaskComplete):
            raise AssertionError(f"no result: {payload!r}\n{self.outcome.trace}")
        return payload.result

    @property
    def error(self) -> ErrorObject:
        """AssertionError unless the task failed."""
        payload = self.outcome.payload
        if not isinstance(payload, TaskFailed):
            raise AssertionError(f"no error: {payload!r}")
        return payload.error


def run_handler(
    task: str | registry.HandlerSpec,
    payload: Mapping[str, object],
    *,
    files: Sequence[TaskFile] = (),
    answers: Sequence[Answer] = (),
    host: MemoryHost | None = None,
) -> Played:
    """Play a task until it ends or asks more than `answers` holds.

    A mapping answers `need_info`, a `HumanAnswer` answers `need_human`. ValueError when
    an answer fits no question, LookupError for an unknown task type.
    """
    spec = _spec(task)
    host = host or MemoryHost()
    journal: list[JournalEntry] = []
    questions: list[TaskNeedInfo | TaskNeedHuman] = []
    left = list(answers)
    for attempt in range(1, len(answers) + 2):
        assignment = Assignment(
            task_id="task-1",
            attempt=attempt,
            payload=payload,
            files=tuple(files),
            journal=(*host.steps, *journal),
        )
        outcome = run(spec, assignment, host)
        if isinstance(outcome.payload, TaskComplete | TaskFailed):
            break
        questions.append(outcome.payload)
        if not left:
            break
        journal.append(_answered(outcome, left.pop(0)))
    if left:
        raise ValueError(f"never asked for {left!r}")
    return Played(
        outcome=outcome, questions=tuple(questions), attempts=attempt, host=host
    )


def task_file(path: Path, content_type: str | None = None) -> TaskFile:
    """A file on disk as an upload. The type is guessed from the name if not given."""
    data = path.read_bytes()
    guessed = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return TaskFile(
        id=f"upload-{path.name}",
        name=path.name,
        content_type=content_type or guessed,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        path=path,
    )


def _spec(task: str | registry.HandlerSpec) -> registry.HandlerSpec:
    spec = registry.get(task) if isinstance(task, str) else task
    if spec is None:
        raise LookupError(f"no enabled handler for {task!r}; is its module imported?")
    return spec


def _answered(outcome: Outcome, answer: Answer) -> JournalEntry:
    """The entry the gateway would write for this answer."""
    question, position = outcome.payload, outcome.position
    assert position is not None  # noqa: S101 - A question always has one.
    if isinstance(question, TaskNeedInfo) and isinstance(answer, Mapping):
        return JournalEntry(
            position=position,
            kind=JournalKind.INFO,
            name=info_name(field.name for field in question.missing_fields),
            value=loads(dumps(answer)),
        )
    if isinstance(question, TaskNeedHuman) and isinstance(answer, HumanAnswer):
        value = {
            "decision": answer.decision.to_json(),
            "decided_by": answer.decided_by.to_json(),
        }
        return JournalEntry(
            position=position, kind=JournalKind.HUMAN, name=HUMAN_NAME, value=value
        )
    raise ValueError(f"{answer!r} does not answer {question!r}")
