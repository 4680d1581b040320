"""The process of one document: limits first, then a program of this package.

`calling` starts it, by `python -m`, as `child MEMORY CPU_SECONDS PROGRAM PATH …`. It
imports little, so that starting it is cheap, and ends with the process that started it.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from threading import Thread

from agents_app.reading import Unreadable

_PR_SET_PDEATHSIG = 1
_MAX_TRACE_CHARACTERS = 4_000


def main(memory: str, seconds: str, program: str, *arguments: str) -> None:
    """Read one document and say what is in it."""
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_AS", int(memory))
    _limit("RLIMIT_CPU", int(seconds))
    _end_with_parent()
    output = os.dup(sys.stdout.fileno())
    # What a library prints is no word of ours.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for word in _words(program, arguments):
        with open(output, "wb", closefd=False) as pipe:
            pipe.write(json.dumps(word).encode() + b"\n")


def _words(program: str, arguments: tuple[str, ...]) -> Iterator[list[object]]:
    try:
        read: Callable[..., Iterator[object]] = import_module(program).read
        yield ["ready"]
        for value in read(*arguments):
            yield ["said", value]
        yield ["done"]
    except Unreadable as refused:
        yield ["refused", str(refused)]
    except MemoryError:
        pass  # An end without a word, as when C code finds no memory.
    except Exception:  # noqa: BLE001 - told to the parent, which raises
        yield ["failed", traceback.format_exc()[-_MAX_TRACE_CHARACTERS:]]


def _limit(name: str, value: int) -> None:
    """As far as this system has such a limit; macOS refuses that of memory."""
    kind: int | None = getattr(resource, name, None)
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (value, value))


def _end_with_parent() -> None:
    """Linux ends us by itself; elsewhere, and if the parent is gone already, a thread.

    The thread alone would wait for a regular expression to come to its end.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # Nothing here needs the tidying up of an interpreter.
