"""Runs the services of the Procfile in one terminal and ends them all together.

    start → Stack.run → one process group a service, its lines behind its name

A general Procfile runner signals whole process groups. Celery's pool children would
then die in the middle of a task and their parent would wait for them, so here a stop
reaches each service's first process only, and what is left after the grace is killed.
"""

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from synapse_site.launch.procfile import Service
from synapse_site.launch.running import Lines, Running

GRACE_SECONDS = 8.0
# Running tasks get this long before anybody is told what takes so long.
PATIENCE_SECONDS = 3.0
_QUIET_SECONDS = 1.0
_TICK_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class Notice:
    """What to show below the lines of the start, as soon as `ready` says so."""

    text: str
    ready: Callable[[], bool]


class Stack:
    """All services; `run` returns when they have ended."""

    def __init__(
        self,
        services: Sequence[Service],
        environ: Mapping[str, str],
        out: TextIO,
        notice: Notice | None = None,
    ) -> None:
        self._services = services
        self._environ = environ
        self._lines = Lines(out, max(len(service.name) for service in services))
        self._notice = notice
        self._running: list[Running] = []
        self._stops = 0

    def run(self) -> int:
        """Until Ctrl-C or SIGTERM (0), or a service that does not stay up (1)."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop_asked)
        try:
            for service in self._services:
                self._running.append(self._start(service))
            return self._watch()
        finally:
            self._stop_all()

    def _stop_asked(self, *_: object) -> None:
        self._stops += 1

    def _start(self, service: Service) -> Running:
        return Running(service, self._environ, self._lines)

    def _watch(self) -> int:
        while not self._stops:
            for place, running in enumerate(self._running):
                if not running.ended():
                    continue
                running.kill_group()
                code = running.process.returncode
                if not running.settled():
                    self._lines.say("synapse", f"{running.service.name} ended ({code})")
                    return 1
                again = f"{running.service.name} ended ({code}); starting it again"
                self._lines.say("synapse", again)
                self._running[place] = self._start(running.service)
            self._show_notice()
            time.sleep(_TICK_SECONDS)
        return 0

    def _show_notice(self) -> None:
        """Once they are quiet: it would scroll away between their first lines."""
        notice = self._notice
        if notice is None or self._lines.quiet_for() < _QUIET_SECONDS:
            return
        if notice.ready():
            self._notice = None
            self._lines.show(notice.text)

    def _stop_all(self) -> None:
        """Ask, wait for the grace or a second Ctrl-C, then kill what is left."""
        asked = self._stops
        self._lines.say("synapse", "stopping")
        for running in self._running:
            running.ask_to_stop()
        began, told = time.monotonic(), False
        while time.monotonic() < began + GRACE_SECONDS and self._stops <= asked:
            names = [one.service.name for one in self._running if not one.ended()]
            if not names:
                break
            if not told and time.monotonic() > began + PATIENCE_SECONDS:
                told = True
                self._lines.say("synapse", _waits_for(names))
            time.sleep(_TICK_SECONDS)
        for running in self._running:
            running.kill_group()
        self._lines.say("synapse", "stopped")


def _waits_for(names: Sequence[str]) -> str:
    return (
        f"waiting up to {GRACE_SECONDS:.0f} s for {', '.join(names)} to finish what "
        "runs; Ctrl-C again ends it now, and a task that is cut off is tried again"
    )
