"""One service as a real process in a group of its own, with a log that is kept."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from synapse_site.launch.running import TETHER
from tests.stack.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 40.0
STOP_SECONDS = 20.0


class Process:
    """Started, killed, stopped for a while, started again; all by process id."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environ: Mapping[str, str],
        folder: Path,
        ready: str = "",
    ) -> None:
        """`ready` is the text in its log that says that it works now."""
        self.name = name
        self.log = folder / f"{name}.log"
        self.command = tuple(command)
        self.environ = dict(environ)
        self._ready = ready
        self._process: subprocess.Popen[bytes] | None = None
        # Where the log of this run begins.
        self._from = 0

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.name} was never started"
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it; `wait` says when it is ready."""
        assert not self.alive, f"{self.name} runs already"
        # Ends with us: nothing outlives a test run that was killed.
        tether = (sys.executable, "-IS", str(TETHER), str(os.getpid()))
        with self.log.open("ab") as log:
            self._from = log.tell()
            self._process = subprocess.Popen(
                [*tether, *self.command],
                cwd=ROOT,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait(self) -> None:
        """Until its log says that it is ready."""
        self.wait_for_line(self._ready, START_SECONDS)

    def wait_for_line(self, text: str, timeout: float = 10.0) -> None:
        """Until the log of this run contains `text`."""

        def said() -> bool:
            assert self.alive, f"{self.name} ended:\n{self.tail()}"
            return text in self.said()

        eventually(said, timeout, lambda: f"{text!r} from {self.name}:\n{self.tail()}")

    def said(self) -> str:
        """The log of this run."""
        with self.log.open("rb") as log:
            log.seek(self._from)
            return log.read().decode("utf-8", "replace")

    def tail(self, characters: int = 6000) -> str:
        """The end of the log, earlier runs included."""
        if not self.log.exists():
            return ""
        return self.log.read_text("utf-8", "replace")[-characters:]

    def pause(self) -> None:
        """SIGSTOP to all of it."""
        os.killpg(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.killpg(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL to all of it, children that outlived their parent included."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait(STOP_SECONDS)

    def kill_parent(self) -> None:
        """SIGKILL to the first process only."""
        os.kill(self.pid, signal.SIGKILL)
        assert self._process is not None
        self._process.wait(STOP_SECONDS)

    def stop(self) -> None:
        """SIGTERM, as a deploy does it; it may finish what it does."""
        os.kill(self.pid, signal.SIGTERM)
        assert self._process is not None
        self._process.wait(STOP_SECONDS)

    def restart(self) -> None:
        """Kill what is left of it, start it and wait until it is ready."""
        self.kill()
        self.start()
        self.wait()
