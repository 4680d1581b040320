"""What a handler gets: its input, its files, and the way to ask and to remember.

`dispatch` makes one per attempt. It reaches the outside only through a `Host`, so
handlers know no tables and no queue.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from logging import LoggerAdapter
from typing import Any, Generic, ParamSpec, TypeVar, cast

from pydantic import BaseModel, ValidationError

from agents_app.host import AttemptStopped, Host, StopReason, TaskFile
from agents_app.journal import (
    HUMAN_NAME,
    Journal,
    JournalEntry,
    JournalKind,
    Recorded,
    info_name,
    mismatch,
)
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import (
    Action,
    DecidedBy,
    Decision,
    MissingField,
    Option,
    TaskNeedHuman,
    TaskNeedInfo,
)
from agents_app.results import check_storable_result
from agents_app.schemas import check_question

__all__ = [
    "Action",
    "AttemptStopped",
    "Context",
    "DecisionView",
    "HandlerError",
    "Host",
    "JournalEntry",
    "JournalKind",
    "Log",
    "MissingField",
    "Option",
    "Parked",
    "StopReason",
    "TaskFile",
]

P = TypeVar("P", bound=BaseModel)
Q = ParamSpec("Q")
R = TypeVar("R")


class HandlerError(SynapseError):
    """A failure its handler puts into words: HANDLER_FAILED with a text of its own.

    `message` and `details` go to the caller, so they hold nothing secret. `retryable`
    says whether another attempt may do better.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(Code.HANDLER_FAILED, message, details=details)
        self.retryable = retryable


class Parked(BaseException):
    """Ends the attempt with a question; `position` is where its answer is journaled."""

    def __init__(self, payload: TaskNeedInfo | TaskNeedHuman, position: int) -> None:
        super().__init__(f"waits at {position}")
        self.payload = payload
        self.position = position


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionView:
    """What a person decided (A2A 6.10), whatever it was."""

    action: Action
    option_id: str | None
    value: object
    comment: str | None
    decided_by: DecidedBy
    approved: bool


class Log(LoggerAdapter[Any]):
    """Every line names its task and attempt, in the text and as fields."""

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        fields = dict(self.extra or {})
        kwargs["extra"] = fields | dict(kwargs.get("extra") or {})
        return f"task {fields['task_id']} attempt {fields['attempt']}: {msg}", kwargs


class Context(Generic[P]):
    """One attempt at one task, as its handler sees it.

    `step`, `need_info`, `need_human` and `attach` are numbered in the order they are
    called; after an interruption the handler runs again from the top and finished calls
    return what they returned before. Call them from one thread, in an order that
    depends only on the payload and on what earlier calls returned.
    Every call raises AttemptStopped once the attempt was cancelled or replaced.
    """

    def __init__(
        self,
        *,
        task_id: str,
        attempt: int,
        payload: P,
        files: Sequence[TaskFile],
        journal: Journal,
        host: Host,
        log: Log,
        answer_within_s: int | None = None,
    ) -> None:
        self.task_id = task_id
        self.attempt = attempt
        self.payload = payload
        self.files = tuple(files)
        self.log = log
        self._journal = journal
        self._host = host
        self._answer_within_s = answer_within_s
        # The position of the step that is running.
        self._step: int | None = None
        self.parked: Parked | None = None

    @property
    def cancelled(self) -> bool:
        """Whether the attempt should end. For loops that make no other call."""
        return self._host.stopped() is not None

    def check(self) -> None:
        """Raise AttemptStopped if the attempt must end, as every other call does."""
        reason = self._host.stopped()
        if reason is not None:
            raise AttemptStopped(reason)
        if self.parked is not None:  # The handler caught it; the question stands.
            raise self.parked

    def progress(
        self, percent: int, message: str = "", eta: datetime | None = None
    ) -> None:
        """Tell the caller how far the task is (A2A 6.4).

        `percent` is a whole number from 0 to 100, else PROGRESS_INVALID. `eta` is an
        aware datetime; without one the earlier holds. All is logged, but a number lower
        than one shown before is not shown, and 100 is shown as 99 until the task is
        completed. RESULT_INVALID for a message that no row can hold.
        """
        self.check()
        check_storable_result(message, "message")
        if type(percent) is not int or not 0 <= percent <= 100:
            raise SynapseError(Code.PROGRESS_INVALID)
        if eta is not None and eta.tzinfo is None:
            raise ValueError("eta needs a time zone")
        self._host.report(percent, message, eta)

    def step(
        self,
        name: str,
        function: Callable[Q, R],
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> R:
        """Run `function` once for this task and remember what it returned.

        The value must survive JSON (see `Recorded`); RESULT_INVALID when it cannot be
        stored. An exception is not remembered: the next attempt runs the step again.
        A crash between the effect and its record repeats the effect.
        """
        check_storable_result(name, "name of a step")
        position, entry = self._next_call(JournalKind.STEP, name)
        recorded = Recorded(function)
        if entry is not None:
            return _restored(recorded, entry)
        self._step = position
        try:
            value = recorded.to_json(function(*args, **kwargs))
        finally:
            self._step = None
        check_storable_result(value, f"step {name!r}")
        self._host.record_step(position, name, value)
        # Also the first time, so that a lossy type shows at once, not after a restart.
        return recorded.restore(value)

    def attach(self, name: str, data: bytes, content_type: str) -> str:
        """Add a result file and return its id. Outside a step it is a step itself.

        A step that was interrupted and starts again loses the files it had attached.
        RESULT_INVALID for a name or content type that no row can hold.
        """
        check_storable_result([name, content_type], "name of a file")
        if self._step is None:
            return self.step(f"attach:{name}", self._attach, name, data, content_type)
        self.check()
        return self._attach(name, data, content_type)

    def need_info(
        self,
        fields: Sequence[MissingField | str],
        reason: str,
        answer_within: timedelta | None = None,
    ) -> dict[str, Any]:
        """Ask the caller for facts (A2A 6.7) and return what was provided (6.8).

        Without an answer in `answer_within` the task ends with INFO_TIMEOUT. A field
        whose schema no answer can be held against is SCHEMA_INVALID, before anyone is
        asked.
        """
        missing = tuple(_missing(field) for field in fields)
        name = info_name(field.name for field in missing)
        position, entry = self._next_call(JournalKind.INFO, name)
        if entry is not None:
            # Any: provided values have whatever type the fields' schemas say.
            return dict(cast(Mapping[str, Any], entry.value))
        payload = TaskNeedInfo(
            task_id=self.task_id,
            missing_fields=missing,
            reason=reason,
            answer_within_s=self._seconds(answer_within),
        )
        raise self._park(payload, position)

    def need_human(
        self,
        level: int = 1,
        reason: Mapping[str, object] | None = None,
        options: Sequence[Option | str] = (),
        suggested_value: Mapping[str, object] | None = None,
        decision_schema: Mapping[str, object] | None = None,
        answer_within: timedelta | None = None,
    ) -> DecisionView:
        """Ask a person (A2A 6.9) and return the decision, a rejection included.

        `level` 1 is an operator, 2 a supervisor, 3 an owner. `decision_schema` is the
        JSON Schema of the value that `modify` brings; SCHEMA_INVALID when it is broken.
        """
        position, entry = self._next_call(JournalKind.HUMAN, HUMAN_NAME)
        if entry is not None:
            return _decision_view(cast(Mapping[str, object], entry.value))
        payload = TaskNeedHuman(
            task_id=self.task_id,
            escalation_level=level,
            reason=reason or {},
            options=tuple(_option(option) for option in options),
            suggested_value=suggested_value,
            decision_schema=decision_schema,
            answer_within_s=self._seconds(answer_within),
        )
        raise self._park(payload, position)

    def _next_call(
        self, kind: JournalKind, name: str
    ) -> tuple[int, JournalEntry | None]:
        self.check()
        if self._step is not None:
            # A replayed step does not run, so calls inside it would lose their numbers.
            raise RuntimeError("a step cannot contain another step or a question")
        return self._journal.advance(kind, name)

    def _attach(self, name: str, data: bytes, content_type: str) -> str:
        return self._host.attach(name, data, content_type, self._step)

    def _park(self, payload: TaskNeedInfo | TaskNeedHuman, position: int) -> Parked:
        check_question(payload)
        check_storable_result(payload.to_json(), "question")
        self.parked = Parked(payload, position)
        return self.parked

    def _seconds(self, answer_within: timedelta | None) -> int | None:
        if answer_within is None:
            return self._answer_within_s
        return int(answer_within.total_seconds())


def _missing(field: MissingField | str) -> MissingField:
    return MissingField(name=field) if isinstance(field, str) else field


def _option(option: Option | str) -> Option:
    return Option(id=option, label=option) if isinstance(option, str) else option


def _restored(recorded: Recorded[R], entry: JournalEntry) -> R:
    try:
        return recorded.restore(entry.value)
    except ValidationError as changed:
        raise mismatch(entry, found="a step of another return type") from changed


def _decision_view(value: Mapping[str, object]) -> DecisionView:
    decision = Decision.parse(value["decision"])
    return DecisionView(
        action=decision.action,
        option_id=decision.option_id,
        value=decision.value,
        comment=decision.comment,
        decided_by=DecidedBy.parse(value["decided_by"]),
        approved=decision.approved,
    )
