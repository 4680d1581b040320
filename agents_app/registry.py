"""Which task types this process can do, and the function that does each.

`@handles` fills the registry while `agents.py` modules are imported; `dispatch` runs
what it finds here, `capabilities` advertises it. A wrong declaration fails at import.
"""

import inspect
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from agents_app.context import Context
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.jsontext import dumps
from agents_app.protocol.model import field_errors

P = TypeVar("P", bound=BaseModel)
JsonSchema = dict[str, object]
Handler = Callable[[Context[P]], object]
HilOwner = Literal["requester", "local"]

DEFAULT_LANE = "default"

_TASK_TYPE = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_LANE = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_SPAN = re.compile(r"\d+(ms|s|min|h|d)(-\d+(ms|s|min|h|d))?")


def always() -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class HandlerSpec:
    """One declared task type (P2A 7.6) and the limits Synapse enforces for it.

    `max_concurrent` counts running attempts over all workers. `max_duration_s` limits
    the sum of the run time of all attempts of a task, in seconds; waiting, in the queue
    or for an answer, does not count. `answer_within_s` is how many seconds a question
    may stay open. None leaves each to the gateway's own default. Exceptions in
    `non_retryable` fail the task at once. `enabled` is asked every time: keep it cheap.
    `hil_owner` says who decides for a task of a remote agent: that agent's people, or
    with "local" ours (decision 13).
    A task comes with `min_files` to `max_files` uploads, None being the gateway's own
    limit.
    """

    task_type: str
    function: Callable[[Context[Any]], object]
    input: type[BaseModel]
    output: type[BaseModel]
    name: str
    description: str
    estimated_time: str
    lane: str
    max_concurrent: int | None
    max_duration_s: int | None
    capabilities: tuple[str, ...]
    non_retryable: tuple[type[Exception], ...]
    answer_within_s: int | None
    enabled: Callable[[], bool]
    accepts_files: bool
    hil_owner: HilOwner
    min_files: int
    max_files: int | None
    input_schema: JsonSchema = field(init=False, repr=False, compare=False)
    output_schema: JsonSchema = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self)
        object.__setattr__(self, "input_schema", _schema(self.input, "validation"))
        object.__setattr__(self, "output_schema", _schema(self.output, "serialization"))

    def read(self, payload: Mapping[str, object]) -> BaseModel:
        """The payload as the handler's input; PAYLOAD_INVALID with the fields."""
        # As JSON, so that strict models still read dates and Decimals from strings.
        try:
            return self.input.model_validate_json(dumps(payload))
        except ValidationError as refused:
            details = {"fields": field_errors(refused)}
            raise SynapseError(Code.PAYLOAD_INVALID, details=details) from refused

    def check_files(self, count: int) -> None:
        """PAYLOAD_INVALID unless a task of this type may come with so many files."""
        if self.min_files <= count and (
            self.max_files is None or count <= self.max_files
        ):
            return
        text = f"{_wanted_files(self)}, not {count}."
        details = {"fields": {"file": f"came {count} times"}}
        raise SynapseError(Code.PAYLOAD_INVALID, text, details=details)


_specs: dict[str, HandlerSpec] = {}


def handles(
    task_type: str,
    *,
    input: type[P],
    output: type[BaseModel],
    name: str | None = None,
    description: str | None = None,
    estimated_time: str = "1s-10s",
    lane: str = DEFAULT_LANE,
    max_concurrent: int | None = None,
    max_duration_s: int | None = None,
    capabilities: tuple[str, ...] = (),
    non_retryable: tuple[type[Exception], ...] = (),
    answer_within_s: int | None = None,
    enabled: Callable[[], bool] = always,
    accepts_files: bool = False,
    hil_owner: HilOwner = "requester",
    min_files: int = 0,
    max_files: int | None = None,
) -> Callable[[Handler[P]], Handler[P]]:
    """Declare the function below as the handler of `task_type`; it stays callable.

    `description` defaults to the docstring, `name` to the task type in words. Raises
    ValueError or TypeError at import when the declaration cannot work.
    """

    def register(function: Handler[P]) -> Handler[P]:
        spec = HandlerSpec(
            task_type=task_type,
            function=function,
            input=input,
            output=output,
            name=name or _in_words(task_type),
            description=description or inspect.getdoc(function) or "",
            estimated_time=estimated_time,
            lane=lane,
            max_concurrent=max_concurrent,
            max_duration_s=max_duration_s,
            capabilities=tuple(capabilities),
            non_retryable=tuple(non_retryable),
            answer_within_s=answer_within_s,
            enabled=enabled,
            accepts_files=accepts_files,
            hil_owner=hil_owner,
            min_files=min_files,
            max_files=max_files if accepts_files else 0,
        )
        if task_type in _specs:
            raise ValueError(f"task type {task_type!r} is declared twice")
        _specs[task_type] = spec
        return function

    return register


def get(task_type: str) -> HandlerSpec | None:
    """The handler of `task_type`; None when there is none or it is switched off."""
    spec = _specs.get(task_type)
    return spec if spec is not None and spec.enabled() else None


def enabled_specs() -> tuple[HandlerSpec, ...]:
    """Every handler that is switched on, by task type."""
    return tuple(spec for _, spec in sorted(_specs.items()) if spec.enabled())


def lanes() -> tuple[str, ...]:
    """The lanes some enabled handler runs in, sorted, each once."""
    return tuple(sorted({spec.lane for spec in enabled_specs()}))


@contextmanager
def isolated_registry() -> Generator[None]:
    """For tests: an empty registry inside the block, the old one back afterwards."""
    kept = dict(_specs)
    _specs.clear()
    try:
        yield
    finally:
        _specs.clear()
        _specs.update(kept)


def _check(spec: HandlerSpec) -> None:
    _matches(_TASK_TYPE, "task type", spec.task_type)
    _matches(_LANE, "lane", spec.lane)
    _matches(_SPAN, "estimated_time", spec.estimated_time)
    for model in (spec.input, spec.output):
        if not (inspect.isclass(model) and issubclass(model, BaseModel)):
            raise TypeError(f"{spec.task_type}: {model!r} is not a pydantic model")
    if spec.hil_owner not in get_args(HilOwner):
        raise ValueError(f"{spec.task_type}: nobody is called {spec.hil_owner!r}")
    for limit in (spec.max_concurrent, spec.max_duration_s, spec.answer_within_s):
        if limit is not None and limit < 1:
            raise ValueError(f"{spec.task_type}: a limit of {limit} lets nothing run")
    if spec.min_files < 0 or (
        spec.max_files is not None and spec.max_files < spec.min_files
    ):
        raise ValueError(f"{spec.task_type}: no number of files fits its limits")
    _takes_one_context(spec)


def _wanted_files(spec: HandlerSpec) -> str:
    least, most = spec.min_files, spec.max_files
    if most == 0:
        return "This task type takes no files"
    if most is None:
        return f"This task type takes at least {least} file{'s' * (least != 1)}"
    if least == most:
        return f"This task type takes exactly {most} file{'s' * (most != 1)}"
    return f"This task type takes {least} to {most} files"


def _takes_one_context(spec: HandlerSpec) -> None:
    """A coroutine or generator would return at once and look like a wrong result."""
    function = spec.function
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise TypeError(f"{spec.task_type}: a handler is a plain function")
    try:
        inspect.signature(function).bind(None)
    except TypeError as wrong:
        raise TypeError(f"{spec.task_type}: a handler takes one context") from wrong


def _matches(pattern: re.Pattern[str], what: str, value: str) -> None:
    if not pattern.fullmatch(value):
        raise ValueError(f"{what} {value!r} does not match {pattern.pattern}")


def _schema(model: type[BaseModel], mode: JsonSchemaMode) -> JsonSchema:
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        **model.model_json_schema(mode=mode),
    }


def _in_words(task_type: str) -> str:
    return re.sub(r"[_.-]+", " ", task_type).strip().capitalize()
