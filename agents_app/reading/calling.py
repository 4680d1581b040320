"""Starts the child process for one document and takes what it says.

A child says one JSON array a line: `ready` before it looks at the document, `said` with
a value as often as it likes, and `done`, `refused` or `failed` in the end. The values
of one that was stopped before its end still count.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from signal import SIGKILL
from time import monotonic
from typing import IO

from agents_app.reading import Unreadable

_ROOT = Path(__file__).parents[2]
# Whether the attempt was stopped is asked this often.
_LOOK_SECONDS = 0.25
# Where Python and its libraries are found. Our secrets are none of a reader's business.
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "PYTHONHOME")


class CutOff(StrEnum):
    """Why a document was not read to its end, after its name in a sentence."""

    TOO_SLOW = "took too long to read"
    BROKEN = "cannot be read: it takes too much memory or crashes the reader"


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """For one document. Memory is address space, in bytes; output in bytes as well."""

    seconds: float = 30.0
    memory: int = 512 * 1024 * 1024
    output: int = 8 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What the child said, up to where it was `cut_off`, or all of it."""

    said: tuple[object, ...]
    cut_off: CutOff | None = None

    def unreadable(self) -> Unreadable:
        """For the caller to raise when it needs more than was said."""
        return Unreadable(self.cut_off or CutOff.BROKEN)


LIMITS = Limits()


def call(
    program: str,
    path: Path,
    *arguments: str,
    check: Callable[[], None],
    limits: Limits | None = None,
) -> Answer:
    """Run `read(path, *arguments)` of the module `program` in a child.

    `check` is called while waiting and may raise, as `Context.check` does when the
    attempt is stopped; no child outlives this call. Unreadable when the child refuses
    the document. RuntimeError when reading fails in a way that is ours, not the
    document's.
    """
    limits = limits or LIMITS
    with subprocess.Popen(  # noqa: S603 - our own interpreter and modules
        _command(program, path.absolute(), arguments, limits),
        # Held open and never written: its end tells the child that we are gone.
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
        start_new_session=True,
        bufsize=0,
    ) as process:
        try:
            output, late = _listen(process.stdout, limits, check)
        finally:
            # Not reaped before, so the number is still that of the child.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, SIGKILL)
    return _understood(output, CutOff.TOO_SLOW if late else CutOff.BROKEN)


def _command(
    program: str, path: Path, arguments: tuple[str, ...], limits: Limits
) -> list[str]:
    """Without `site`, which takes longer to find the same folders again."""
    # The clock is ours; the child's CPU time ends it when this process is frozen.
    numbers = [str(limits.memory), str(ceil(limits.seconds) + 1)]
    start = [sys.executable, "-S", "-P", "-m", "agents_app.reading.child"]
    return [*start, *numbers, program, str(path), *arguments]


def _environment() -> dict[str, str]:
    folders = dict.fromkeys(map(os.path.abspath, [str(_ROOT), *sys.path]))
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    # One arena: each further one would reserve 64 MiB of the address space.
    return {"PYTHONPATH": os.pathsep.join(folders), "MALLOC_ARENA_MAX": "1", **kept}


def _listen(
    pipe: IO[bytes] | None, limits: Limits, check: Callable[[], None]
) -> tuple[bytes, bool]:
    """All that comes until the child is through or a limit is; whether time ran out."""
    assert pipe is not None  # noqa: S101 - asked for above
    ends_at = monotonic() + limits.seconds
    output = bytearray()
    with DefaultSelector() as selector:
        selector.register(pipe, EVENT_READ)
        while len(output) <= limits.output:
            check()
            left = ends_at - monotonic()
            if left <= 0:
                return bytes(output), True
            if selector.select(min(left, _LOOK_SECONDS)):
                if not (chunk := os.read(pipe.fileno(), 65_536)):
                    break
                output += chunk
    return bytes(output), False


def _understood(output: bytes, cut_off: CutOff) -> Answer:
    ready = False
    said: list[object] = []
    for line in output.split(b"\n")[:-1]:
        match _word(line):
            case ["ready"]:
                ready = True
            case ["said", value]:
                said.append(value)
            case ["done"]:
                return Answer(said=tuple(said))
            case ["refused", str(text)]:
                raise Unreadable(text)
            case ["failed", str(trace)]:
                raise RuntimeError(f"The reader failed.\n{trace}")
            case _:
                break
    if not ready:
        raise RuntimeError("The reader did not start.")
    return Answer(said=tuple(said), cut_off=cut_off)


def _word(line: bytes) -> object:
    """None for what is no JSON: a reader that was taken over may write anything."""
    try:
        word: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return word
