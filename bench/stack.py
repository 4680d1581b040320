"""The processes of one run: Synapse as the Procfile has it, and the baselines.

The baselines are the Procfile's own commands with another application, so that they
run under the same settings of the web edge and Celery.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synapse_site.launch import procfile
from synapse_site.launch.running import TETHER
from tests import services

ROOT = Path(__file__).resolve().parent.parent
Command = tuple[str, ...]
Process = subprocess.Popen[bytes]


@dataclass(kw_only=True)
class Stack:
    """What runs where. `folder` holds data and logs."""

    name: str
    folder: Path
    environ: Mapping[str, str]
    web_port: int = field(default_factory=services.free_port)
    bare_port: int = field(default_factory=services.free_port)
    processes: dict[str, Process] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start everything; end all of it together."""
        try:
            self._start_all()
            yield
        finally:
            for process in self.processes.values():
                process.send_signal(signal.SIGCONT)
                process.terminate()
            for process in self.processes.values():
                _end(process)

    def _start_all(self) -> None:
        commands = self._commands(self.web_port)
        product = {"DJANGO_SETTINGS_MODULE": "bench.product.settings"}
        one = product | {"SYNAPSE_BATCH_MILLISECONDS": "0"}
        baseline = {"DJANGO_SETTINGS_MODULE": "bench.baseline.settings"}
        work = commands["worker"]
        bare = (
            *self._commands(self.bare_port)["web"][:-1],
            "bench.baseline.wsgi:edge",
        )
        handmade = _worker(work, "handmade", "bench.baseline.handmade")
        self.start("web", commands["web"], product)
        self.start("worker", work, product)
        self.start("courier", commands["courier"], product)
        self.start("single", _worker(work, "single", "", "lane.single"), one)
        self.start("bare", bare, baseline)
        self.start("handmade", handmade, baseline)
        self.start("raw", _worker(work, "raw", "bench.baseline.raw"), {})
        for port in (self.web_port, self.bare_port):
            until(lambda port=port: listening(port), f"port {port}")

    def _commands(self, port: int) -> dict[str, Command]:
        text = (ROOT / "Procfile").read_text(encoding="utf-8")
        lines = procfile.parse(text, {**self.environ, "PORT": str(port)})
        commands = {service.name: service.command for service in lines}
        if self.name == "production":
            web = _with(commands["web"], "--workers", "2")
            commands["web"] = _with(web, "--blocking-threads", "1")
        return commands

    def start(self, name: str, command: Command, extra: Mapping[str, str]) -> None:
        """Start it tied to this process, its output in a file."""
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-IS", str(TETHER), str(os.getpid()), *command],
                cwd=ROOT,
                env={**self.environ, **extra},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @contextmanager
    def paused(self, name: str) -> Iterator[None]:
        """A worker that reads nothing meanwhile; its pool waits for it."""
        self.processes[name].send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.processes[name].send_signal(signal.SIGCONT)


def until(
    ready: Callable[[], Any], what: str, seconds: float = 60.0, step: float = 0.01
) -> None:
    """Wait for it; TimeoutError says what did not come."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: nothing for {seconds:.0f} s")
        time.sleep(step)


def listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _worker(command: Command, name: str, app: str = "", queue: str = "") -> Command:
    command = _with(command, "-n", f"{name}@%h")
    if app:
        command = _with(command, "-A", app)
    return _with(command, "-Q", queue or name)


def _with(command: Command, option: str, value: str) -> Command:
    place = command.index(option) + 1
    return (*command[:place], value, *command[place + 1 :])


def _end(process: Process) -> None:
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
