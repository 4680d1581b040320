"""One started service, and the terminal that all of them share."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TextIO

from synapse_site.launch.procfile import Service

TETHER = Path(__file__).with_name("tether.py")
# A service that ends sooner than this after its start has not come up.
SETTLED_SECONDS = 10.0


class Lines:
    """The one terminal all services write to, a line at a time."""

    def __init__(self, out: TextIO, width: int) -> None:
        self._out: TextIO | None = out
        self._width = width
        self._lock = threading.Lock()
        self._last = time.monotonic()

    def say(self, name: str, text: str) -> None:
        self.show(f"{name:<{self._width}} | {text}")

    def quiet_for(self) -> float:
        """Seconds since the last line."""
        return time.monotonic() - self._last

    def show(self, text: str) -> None:
        """Lines that stand for themselves."""
        with self._lock:
            self._last = time.monotonic()
            if self._out is None:
                return
            try:
                self._out.write(f"{text}\n")
                self._out.flush()
            except (OSError, ValueError):
                # The terminal is gone; the services must still be able to write.
                self._out = None

    def relay(self, name: str, source: IO[bytes]) -> None:
        for line in source:
            self.say(name, line.decode("utf-8", "replace").rstrip())


class Running:
    """A started service: its process group and the thread that shows its lines."""

    def __init__(self, service: Service, environ: Mapping[str, str], out: Lines):
        self.service = service
        self.started_at = time.monotonic()
        tether = (sys.executable, "-IS", str(TETHER), str(os.getpid()))
        self.process = subprocess.Popen(  # noqa: S603 - the Procfile is ours
            [*tether, *service.command],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert self.process.stdout is not None  # noqa: S101 - PIPE was asked for
        relay = (service.name, self.process.stdout)
        threading.Thread(target=out.relay, args=relay, daemon=True).start()

    def ended(self) -> bool:
        return self.process.poll() is not None

    def settled(self) -> bool:
        return time.monotonic() - self.started_at >= SETTLED_SECONDS

    def ask_to_stop(self) -> None:
        if not self.ended():
            self.process.terminate()

    def kill_group(self) -> None:
        """Whatever is left of it, children that outlived their parent included."""
        # Both mean that nothing is left; macOS refuses for a group of zombies.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
