"""One attempt: payload in, handler called, payload out.

The runner calls `run` between two transactions and applies the message it returns. The
only place that catches whatever foreign code raises, so its text stays in the house.
"""

import traceback
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from logging import getLogger
from math import isfinite

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from agents_app.context import Context, HandlerError, Log, Parked
from agents_app.host import Host, TaskFile
from agents_app.journal import Journal, JournalEntry
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import (
    ErrorObject,
    Payload,
    TaskComplete,
    TaskFailed,
    TaskNeedHuman,
    TaskNeedInfo,
)
from agents_app.registry import HandlerSpec
from agents_app.results import InWords, check_storable_result

MAX_TRACE_CHARACTERS = 20_000
MAX_SUMMARY_CHARACTERS = 500
_SAID: Mapping[type[Payload], str] = {
    TaskComplete: "completed",
    TaskNeedInfo: "waits for information",
    TaskNeedHuman: "waits for a decision",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """What one attempt works on.

    `payload` is the one the task was submitted with, never a later revision: answers
    reach the handler through the journal only, or a replay would take another path.
    """

    task_id: str
    attempt: int
    payload: Mapping[str, object]
    files: tuple[TaskFile, ...] = ()
    journal: tuple[JournalEntry, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The message that ends an attempt.

    `position` is where the answer to a question goes into the journal. `retryable`
    matters for failures only. `trace` is for administrators and never leaves the house.
    """

    payload: TaskComplete | TaskFailed | TaskNeedInfo | TaskNeedHuman
    position: int | None = None
    retryable: bool = False
    trace: str = ""


def run(spec: HandlerSpec, assignment: Assignment, host: Host) -> Outcome:
    """Run the handler once. AttemptStopped passes through: there is nothing to say.

    A SynapseError is deliberate and keeps its code and text. Any other exception, a
    `sys.exit()` too, is HANDLER_FAILED with the catalogue's text (G60) and may be
    retried unless the handler declared it `non_retryable`.
    """
    log = _log(spec, assignment)
    log.info("%s starts", spec.task_type)
    try:
        outcome = _attempt(spec, assignment, host, log)
        log.info(_SAID[type(outcome.payload)])
        return outcome
    except SynapseError as error:
        log.info("failed: %s", error, exc_info=True)
        return _failed(assignment, error, retryable=_may_retry(error))
    except (Exception, SystemExit) as error:  # Foreign code may raise anything.
        log.exception("raised %s", type(error).__name__)
        retryable = not isinstance(error, spec.non_retryable)
        return _failed(
            assignment, SynapseError(Code.HANDLER_FAILED), retryable=retryable
        )


def _attempt(
    spec: HandlerSpec, assignment: Assignment, host: Host, log: Log
) -> Outcome:
    spec.check_files(len(assignment.files))
    journal = Journal(assignment.journal)
    context = Context(
        task_id=assignment.task_id,
        attempt=assignment.attempt,
        payload=spec.read(assignment.payload),
        files=assignment.files,
        journal=journal,
        host=host,
        log=log,
        answer_within_s=spec.answer_within_s,
    )
    try:
        result = spec.function(context)
    except Parked as parked:
        return _waits(parked)
    if context.parked is not None:  # Swallowed by the handler; nobody has answered yet.
        return _waits(context.parked)
    journal.check_finished()
    model = _output(spec, result)
    return Outcome(
        payload=TaskComplete(
            task_id=assignment.task_id, result=_as_json(model), summary=_summary(model)
        )
    )


def _waits(parked: Parked) -> Outcome:
    return Outcome(payload=parked.payload, position=parked.position)


def _output(spec: HandlerSpec, result: object) -> BaseModel:
    """The result as declared. RESULT_INVALID when it breaks its own declaration."""
    try:
        return spec.output.model_validate(result)
    except ValidationError as refused:
        raise SynapseError(Code.RESULT_INVALID) from refused


def _as_json(model: BaseModel) -> dict[str, object]:
    try:
        output = model.model_dump(mode="json", by_alias=True, warnings="error")
        lost = _not_finite(model.model_dump())
    except PydanticSerializationError as refused:
        raise SynapseError(Code.RESULT_INVALID) from refused
    if lost:
        raise SynapseError(Code.RESULT_INVALID, "The result holds NaN or infinity.")
    check_storable_result(output, "result")
    return output


def _summary(model: BaseModel) -> str | None:
    """What its author says of it in one line, if anything."""
    if not isinstance(model, InWords):
        return None
    text = model.in_words()[:MAX_SUMMARY_CHARACTERS]
    check_storable_result(text, "summary")
    return text


def _not_finite(value: object) -> bool:
    """Whether it holds a number without a word in JSON.

    In the Python dump: the JSON dump has null where the number had no type.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, float) and not isfinite(item):
            return True
        if isinstance(item, Mapping):
            pending.extend(item.values())
        elif isinstance(item, list | tuple | set | frozenset | deque):
            pending.extend(item)
    return False


def _failed(assignment: Assignment, error: SynapseError, *, retryable: bool) -> Outcome:
    """Called while the exception is handled: the trace is that of the real one."""
    payload = TaskFailed(task_id=assignment.task_id, error=_error_object(error))
    return Outcome(payload=payload, retryable=retryable, trace=_trace())


def _error_object(error: SynapseError) -> ErrorObject:
    """A handler may put anything into its error; an unstorable one loses its text."""
    try:
        told = ErrorObject.of(error)
        check_storable_result(told.to_json(), "error")
    except (SynapseError, ValidationError, PydanticSerializationError):
        return ErrorObject.of(SynapseError(error.code))
    return told


def _may_retry(error: SynapseError) -> bool:
    if isinstance(error, HandlerError):
        return error.retryable
    return error.spec.retryable


def _trace() -> str:
    """The end of the traceback, which names the error, in characters a row can hold."""
    text = traceback.format_exc().replace("\0", "\\0")
    return text.encode(errors="backslashreplace").decode()[-MAX_TRACE_CHARACTERS:]


def _log(spec: HandlerSpec, assignment: Assignment) -> Log:
    fields = {"task_id": assignment.task_id, "attempt": assignment.attempt}
    return Log(getLogger(spec.function.__module__), fields)
