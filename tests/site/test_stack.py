"""The services end together: on Ctrl-C, when one fails, when the launcher is killed."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from synapse_site.launch import procfile, stack

ROOT = Path(__file__).resolve().parents[2]
RUN = """
import os, sys
from pathlib import Path
from synapse_site.launch import procfile, running, stack
running.SETTLED_SECONDS, stack.GRACE_SECONDS = map(float, sys.argv[2:])
stack.PATIENCE_SECONDS = 0
stack.FIRST_PAUSE_SECONDS = 0.1
services = procfile.parse(Path(sys.argv[1]).read_text(), os.environ)
notice = stack.Notice(text="Welcome", ready=Path("up").exists)
explain = lambda name: f"because of {name}" if name == "broken" else ""
sys.exit(stack.Stack(services, os.environ, sys.stdout, notice, explain).run())
"""
NAPPER = """
import os, time
print("pid", os.getpid(), flush=True)
time.sleep(600)
"""
PARENT = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "napper.py"])
child.wait()
"""
UP = "import pathlib; pathlib.Path('up').touch()" + NAPPER
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)" + NAPPER
ONCE = """
import pathlib
first = not pathlib.Path("started").exists()
pathlib.Path("started").touch()
""" + NAPPER.replace("time.sleep", "first or time.sleep")


class Launched:
    """A launcher in its own process, and the pids its services said."""

    def __init__(self, folder: Path, services: dict[str, str], settled: float) -> None:
        lines = []
        for name, code in ({"napper": NAPPER} | services).items():
            (folder / f"{name}.py").write_text(code)
        for name in services:
            lines.append(f"{name}: {sys.executable} {name}.py")
        (folder / "Procfile").write_text("\n".join(lines))
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, "Procfile", str(settled), "3"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.lines: list[str] = []

    def wait_for_pids(self, count: int) -> list[int]:
        """The pids of `count` services; each says its own when it is up."""
        pids: list[int] = []
        assert self.process.stdout is not None
        while len(pids) < count:
            line = self.process.stdout.readline()
            assert line, f"it ended early: {self.lines}"
            self.lines.append(line.rstrip())
            if "| pid " in line:
                pids.append(int(line.rpartition(" ")[2]))
        return pids

    def finish(self) -> int:
        out, _ = self.process.communicate(timeout=20)
        self.lines += out.splitlines()
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.communicate(timeout=20)


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[object]:
    opened: list[Launched] = []

    def start(services: dict[str, str], settled: float = 60) -> Launched:
        opened.append(Launched(tmp_path, services, settled))
        return opened[-1]

    yield start
    for launched in opened:
        with closing(launched):
            pass


def gone(pid: int) -> bool:
    """Whether the process ends within 10 s; woken by its end, not by the clock."""
    try:
        watch = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ready, _, _ = select.select([watch], [], [], 10)
    os.close(watch)
    return bool(ready)


def test_it_stops_all_services_on_ctrl_c_and_ends_with_0(launch):
    launched = launch({"one": NAPPER, "two": NAPPER})
    pids = launched.wait_for_pids(2)

    os.killpg(launched.process.pid, signal.SIGINT)

    assert launched.finish() == 0
    assert all(gone(pid) for pid in pids)
    assert not any("Traceback" in line for line in launched.lines)


def test_it_shows_the_lines_of_each_service_behind_its_name(launch):
    launched = launch({"web": NAPPER, "courier": NAPPER})
    launched.wait_for_pids(2)

    shown = sorted(line.partition(" pid")[0] for line in launched.lines)
    assert shown == ["courier |", "web     |"]


def test_it_leaves_no_child_of_a_service_behind(launch):
    launched = launch({"parent": PARENT})
    (child,) = launched.wait_for_pids(1)

    launched.process.terminate()

    assert launched.finish() == 0
    assert gone(child)


def test_it_kills_a_service_that_will_not_stop(launch):
    launched = launch({"stubborn": STUBBORN})
    (pid,) = launched.wait_for_pids(1)

    launched.process.terminate()

    assert launched.finish() == 0
    assert gone(pid)
    assert any("waiting up to 3 s for stubborn" in line for line in launched.lines)


def test_it_shows_its_notice_last_when_it_is_ready(launch):
    launched = launch({"web": UP})

    assert launched.process.stdout.readline().startswith("web | pid ")
    assert launched.process.stdout.readline() == "Welcome\n"


def test_it_shows_no_notice_before_it_is_ready(launch):
    launched = launch({"broken": "import time; time.sleep(1.5); raise SystemExit(3)"})

    launched.finish()
    assert "Welcome" not in launched.lines


def test_it_stops_everything_when_a_service_never_comes_up(launch):
    launched = launch({"good": NAPPER, "broken": "raise SystemExit(3)"})

    assert launched.finish() == 1
    ended = [line for line in launched.lines if "broken ended (3)" in line]
    assert len(ended) == stack.TRIES
    assert "3 times without having come up" in ended[-1]
    assert any("because of broken" in line for line in launched.lines)


def test_it_starts_a_service_again_that_ended_too_soon(launch):
    """It may have met a database that was away; its neighbours go on."""
    launched = launch({"good": NAPPER, "once": ONCE})

    launched.wait_for_pids(3)

    assert launched.process.poll() is None
    assert any("once ended (0); starting it again" in x for x in launched.lines)


class TestKept:
    """When a service is started again, by how its runs ended."""

    class Run:
        def __init__(self, *, settled: bool) -> None:
            self.settled = lambda: settled
            self.ended = lambda: True
            self.kill_group = lambda: None
            self.process = self
            self.returncode = 1

    @pytest.fixture
    def kept(self):
        return stack.Kept(procfile.Service(name="web", command=("web",)))

    def end(self, kept, *, settled):
        kept.running = self.Run(settled=settled)
        kept.reap()

    def test_it_gives_up_what_never_came_up(self, kept):
        for _ in range(stack.TRIES):
            assert not kept.hopeless
            self.end(kept, settled=False)
        assert kept.hopeless

    def test_it_never_gives_up_what_has_been_up(self, kept):
        self.end(kept, settled=True)
        for _ in range(10 * stack.TRIES):
            self.end(kept, settled=False)
        assert not kept.hopeless

    def test_it_pauses_longer_each_time_but_not_for_ever(self, kept):
        pauses = []
        for _ in range(8):
            self.end(kept, settled=False)
            pauses.append(kept.pause())
        assert pauses == [1, 2, 4, 8, 16, 30, 30, 30]

    def test_it_does_not_pause_after_a_run_that_was_up(self, kept):
        self.end(kept, settled=False)
        self.end(kept, settled=True)
        assert kept.pause() == 0


def test_it_starts_a_settled_service_again(launch):
    launched = launch({"once": ONCE}, settled=0)

    first, second = launched.wait_for_pids(2)

    assert first != second
    assert any("starting it again" in line for line in launched.lines)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal")
def test_it_leaves_no_orphans_when_the_launcher_is_killed(launch):
    launched = launch({"one": NAPPER, "two": NAPPER})
    pids = launched.wait_for_pids(2)

    launched.process.kill()

    assert launched.finish() == -signal.SIGKILL
    assert all(gone(pid) for pid in pids)


class TestProcfile:
    def test_it_fills_variables_and_splits_words(self):
        text = "# Comment\n\nweb: granian --port $PORT 'a b'\n"

        (service,) = procfile.parse(text, {"PORT": "8000"})

        assert service.name == "web"
        assert service.command == ("granian", "--port", "8000", "a b")

    @pytest.mark.parametrize("line", ["web granian", "web:", "web:   "])
    def test_it_refuses_a_line_that_is_no_service(self, line):
        with pytest.raises(ValueError, match="Procfile"):
            procfile.parse(line, {})

    def test_it_reads_the_procfile_of_the_product(self):
        text = (ROOT / "Procfile").read_text()

        names = [service.name for service in procfile.parse(text, {"PORT": "1"})]

        assert names == ["web", "worker", "courier", "beat"]
