"""Reads the Procfile: which processes make up a running Synapse."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template


@dataclass(frozen=True, kw_only=True)
class Service:
    """One line: a name and the program to run, words already split."""

    name: str
    command: tuple[str, ...]


def parse(text: str, environ: Mapping[str, str]) -> tuple[Service, ...]:
    """The services in the order of the lines; `$NAME` is taken from `environ`.

    KeyError for a variable that is not there, ValueError for a line that is no service.
    """
    lines = [line.strip() for line in text.splitlines()]
    return tuple(
        _service(line, environ) for line in lines if line and not line.startswith("#")
    )


def _service(line: str, environ: Mapping[str, str]) -> Service:
    name, colon, command = line.partition(":")
    words = shlex.split(command)
    if not colon or not words:
        raise ValueError(f"not a line of a Procfile: {line!r}")
    filled = (Template(word).substitute(environ) for word in words)
    return Service(name=name.strip(), command=tuple(filled))
