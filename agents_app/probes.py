"""Test handlers that show what the gateway does under stress (`SYNAPSE_PROBES=1`).

Off unless the flag is set: they kill their own process and write files. Those go to
`SYNAPSE_PROBE_DIR`, by default the folder for temporary files, under plain names.
"""

import json
import os
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from agents_app.context import Context, HandlerError
from agents_app.registry import Handler, handles

SLICE_S = 0.05

P = TypeVar("P", bound=BaseModel)
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Seconds = Annotated[float, Field(ge=0, le=3600)]


def switched_on() -> bool:
    return os.environ.get("SYNAPSE_PROBES") == "1"


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class Empty(BaseModel):
    pass


def probe(
    name: str, takes: type[P], **limits: Any
) -> Callable[[Handler[P]], Handler[P]]:
    """Any: passed on to `handles`, which checks them."""
    return handles(
        f"probe_{name}", input=takes, output=Anything, enabled=switched_on, **limits
    )


def probe_path(name: str) -> Path:
    folder = os.environ.get("SYNAPSE_PROBE_DIR") or tempfile.gettempdir()
    return Path(folder) / name


@probe("echo", Anything, accepts_files=True)
def echo(ctx: Context[Anything]) -> dict[str, object]:
    """Return the payload and what came as files."""
    files = [{"name": file.name, "size": file.size} for file in ctx.files]
    return {"payload": ctx.payload.model_dump(mode="json"), "files": files}


@probe("copy", Empty, accepts_files=True)
def copy(ctx: Context[Empty]) -> dict[str, object]:
    """Attach what came as files, byte for byte."""
    copies = [ctx.attach(one.name, one.read(), one.content_type) for one in ctx.files]
    return {"file_ids": copies}


class Nap(BaseModel):
    seconds: Seconds = 1.0
    hard: bool = False


@probe("sleep", Nap)
def sleep(ctx: Context[Nap]) -> dict[str, object]:
    """Sleep in slices and notice a cancel, or `hard` in one call that nothing ends."""
    _sleep(ctx, ctx.payload.seconds, hard=ctx.payload.hard)
    return {"slept": ctx.payload.seconds}


@probe("limited", Nap, max_concurrent=1)
def limited(ctx: Context[Nap]) -> dict[str, object]:
    """Like sleep, but only one at a time."""
    _sleep(ctx, ctx.payload.seconds, hard=ctx.payload.hard)
    return {"slept": ctx.payload.seconds}


@probe("other_lane", Anything, lane="gpu")
def other_lane(ctx: Context[Anything]) -> dict[str, object]:
    """Runs only where a worker consumes the lane gpu."""
    return {"lane": "gpu"}


class Steps(BaseModel):
    percents: list[int] = [10, 50, 90]
    seconds_between: Seconds = 0.0


@probe("progress", Steps)
def progress(ctx: Context[Steps]) -> dict[str, object]:
    """Report each of `percents`, also numbers that are wrong or go back."""
    ctx.log.info("counts to %s", len(ctx.payload.percents))
    for percent in ctx.payload.percents:
        ctx.progress(percent, f"at {percent}")
        _sleep(ctx, ctx.payload.seconds_between)
    return {"reported": len(ctx.payload.percents)}


class Failure(BaseModel):
    message: str = "This was asked for."
    retryable: bool = False


@probe("fail", Failure)
def fail(ctx: Context[Failure]) -> dict[str, object]:
    """Fail with the given words."""
    raise HandlerError(ctx.payload.message, retryable=ctx.payload.retryable)


class Secret(BaseModel):
    secret: str = "hunter2"  # noqa: S105 - Made up; the point is that it stays inside.


@probe("secret_error", Secret)
def secret_error(ctx: Context[Secret]) -> dict[str, object]:
    """Raise an exception whose text must never leave the house."""
    raise RuntimeError(f"the password is {ctx.payload.secret}")


@probe("crash", Empty)
def crash(ctx: Context[Empty]) -> dict[str, object]:
    """Kill the process that runs it, every time."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


class Flaky(BaseModel):
    failures: Annotated[int, Field(ge=0)] = 1
    file: FileName


@probe("flaky", Flaky)
def flaky(ctx: Context[Flaky]) -> dict[str, object]:
    """Fail `failures` times, counting in `file`, then succeed."""
    _append(ctx.payload.file, {"task": ctx.task_id, "attempt": ctx.attempt})
    tries = len(probe_path(ctx.payload.file).read_text().splitlines())
    if tries <= ctx.payload.failures:
        raise HandlerError(f"Failure {tries} was asked for.", retryable=True)
    return {"tries": tries}


class Fields(BaseModel):
    fields: Annotated[list[str], Field(min_length=1)] = ["colour"]


@probe("need_info", Fields)
def need_info(ctx: Context[Fields]) -> dict[str, object]:
    """Ask for `fields` and return the answer."""
    return {"provided": ctx.need_info(ctx.payload.fields, "The probe asks for them.")}


class Question(BaseModel):
    level: Literal[1, 2, 3] = 1
    options: list[str] = ["left", "right"]


@probe("need_human", Question)
def need_human(ctx: Context[Question]) -> dict[str, object]:
    """Ask a person and return the decision."""
    decision = ctx.need_human(
        level=ctx.payload.level,
        reason={"summary": "The probe asks."},
        options=ctx.payload.options,
        suggested_value={"colour": "blue"},
    )
    return {
        "action": str(decision.action),
        "option_id": decision.option_id,
        "value": decision.value,
        "comment": decision.comment,
        "approved": decision.approved,
        "decided_by": decision.decided_by.to_json(),
    }


class Ledger(BaseModel):
    file: FileName
    seconds: Seconds = 0.0
    hard: bool = False
    deaf: bool = False
    steps: Annotated[int, Field(ge=0, le=100)] = 0
    question: Literal["info", "human"] | None = None


@probe("ledger", Ledger)
def ledger(ctx: Context[Ledger]) -> dict[str, object]:
    """Write start, each step and end to `file`; ask in the middle when told to."""
    _note(ctx, "start")
    for number in range(ctx.payload.steps):
        if number == ctx.payload.steps // 2:
            _ask(ctx)
        ctx.step(f"effect-{number}", _note, ctx, f"effect-{number}")
    if not ctx.payload.steps:
        _ask(ctx)
    if ctx.payload.deaf:
        _sleep_through(ctx.payload.seconds)
    else:
        _sleep(ctx, ctx.payload.seconds, hard=ctx.payload.hard)
    _note(ctx, "end")
    return {"attempt": ctx.attempt}


def _ask(ctx: Context[Ledger]) -> None:
    if ctx.payload.question == "info":
        ctx.need_info(["colour"], "The ledger asks.")
    elif ctx.payload.question == "human":
        ctx.need_human(reason={"summary": "The ledger asks."})


def _note(ctx: Context[Ledger], event: str) -> None:
    _append(
        ctx.payload.file,
        {
            "task": ctx.task_id,
            "attempt": ctx.attempt,
            "event": event,
            "at": time.time(),
            "pid": os.getpid(),
        },
    )


def _append(name: str, line: dict[str, object]) -> None:
    """One write in append mode, so that lines of several processes do not mix."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    descriptor = os.open(probe_path(name), flags, 0o600)
    try:
        os.write(descriptor, json.dumps(line).encode() + b"\n")
    finally:
        os.close(descriptor)


def _sleep(ctx: Context[Any], seconds: float, *, hard: bool = False) -> None:
    """Any: the payload does not matter. In slices it ends early when cancelled."""
    if hard:
        time.sleep(seconds)
        return
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        ctx.check()
        time.sleep(min(left, SLICE_S))


def _sleep_through(seconds: float) -> None:
    """Deaf to all that interrupts it: only the end of its process stops it."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        with suppress(BaseException):
            time.sleep(left)
