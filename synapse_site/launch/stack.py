"""Runs the services of the Procfile in one terminal and ends them all together.

    start → Stack.run → one process group a service, its lines behind its name

A general Procfile runner signals whole process groups. Celery's pool children would
then die in the middle of a task and their parent would wait for them, so here a stop
reaches each service's first process only, and what is left after the grace is killed.

A service that ends is started again: at once when it had been up, else after a pause
that grows. Only one that never came up, several times in a row, ends the others too:
then the start itself is wrong, and somebody has to read why.
"""

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from synapse_site.launch.procfile import Service
from synapse_site.launch.running import Lines, Running

GRACE_SECONDS = 8.0
# Running tasks get this long before anybody is told what takes so long.
PATIENCE_SECONDS = 3.0
_QUIET_SECONDS = 1.0
_TICK_SECONDS = 0.1
# A service that never came up is tried so often.
TRIES = 3
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Notice:
    """What to show below the lines of the start, as soon as `ready` says so."""

    text: str
    ready: Callable[[], bool]


@dataclass
class Kept:
    """A service that is to stay up: its process, or when the next one starts."""

    service: Service
    running: Running | None = None
    start_at: float = field(default_factory=time.monotonic)
    came_up: bool = False
    # Ends in a row that came too soon.
    failures: int = 0

    @property
    def hopeless(self) -> bool:
        """Whether another start would end like those before."""
        return not self.came_up and self.failures >= TRIES

    def reap(self) -> str | None:
        """Clear away a process that has ended, and say when the next one is due.

        Its exit code, once; None while it runs or has not been started again.
        """
        running = self.running
        if running is None or not running.ended():
            return None
        running.kill_group()
        self.running = None
        if running.settled():
            self.came_up, self.failures = True, 0
        else:
            self.failures += 1
        self.start_at = time.monotonic() + self.pause()
        return str(running.process.returncode)

    def pause(self) -> float:
        if not self.failures:
            return 0
        doublings = min(self.failures - 1, 10)
        return min(FIRST_PAUSE_SECONDS * 2.0**doublings, LONGEST_PAUSE_SECONDS)


def _unexplained(_: str) -> str:
    return ""


class Stack:
    """All services; `run` returns when they have ended.

    `explain`: what a person should know about a service of this name that has ended.
    """

    def __init__(
        self,
        services: Sequence[Service],
        environ: Mapping[str, str],
        out: TextIO,
        notice: Notice | None = None,
        explain: Callable[[str], str] = _unexplained,
    ) -> None:
        self._kept = [Kept(service) for service in services]
        self._environ = environ
        self._lines = Lines(out, max(len(service.name) for service in services))
        self._notice = notice
        self._explain = explain
        self._stops = 0

    def run(self) -> int:
        """Until Ctrl-C or SIGTERM (0), or a service that never comes up (1)."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop_asked)
        try:
            return self._watch()
        finally:
            self._stop_all()

    def _stop_asked(self, *_: object) -> None:
        self._stops += 1

    def _watch(self) -> int:
        while not self._stops:
            for kept in self._kept:
                if code := kept.reap():
                    self._tell(kept, code)
                if kept.hopeless:
                    return 1
                if kept.running is None and time.monotonic() >= kept.start_at:
                    kept.running = Running(kept.service, self._environ, self._lines)
            self._show_notice()
            time.sleep(_TICK_SECONDS)
        return 0

    def _tell(self, kept: Kept, code: str) -> None:
        name = kept.service.name
        what = f"{name} ended ({code})"
        if kept.hopeless:
            what += f", {kept.failures} times without having come up"
        elif kept.failures:
            what += f"; starting it again in {kept.pause():.0f} s"
        else:
            what += "; starting it again"
        self._lines.say("synapse", what)
        if why := self._explain(name):
            self._lines.say("synapse", why)

    @property
    def _running(self) -> list[Running]:
        return [kept.running for kept in self._kept if kept.running is not None]

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
