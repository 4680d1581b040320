"""The child process that reads a document: what it may, and that it always ends."""

import os
import subprocess
import sys
from pathlib import Path
from signal import SIGKILL

import pytest

from agents_app.host import AttemptStopped, StopReason
from agents_app.reading import calling
from agents_app.reading.calling import Answer, CutOff, Limits, call

PROGRAMS = "tests.agents.reading_programs"
ROOT = Path(__file__).parents[2]
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def go_on():
    """The attempt was not stopped."""


def run(name, path=Path("unused"), check=go_on, **limits):
    return call(PROGRAMS, path, name, check=check, limits=Limits(**limits))


@pytest.fixture
def fifo(tmp_path):
    """A child that opens it is gone when it reads as ended."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


def test_it_keeps_what_was_said_before_a_crash():
    assert run("crash") == Answer(said=("half of it",), cut_off=CutOff.BROKEN)


@ON_LINUX
def test_it_bounds_the_memory():
    assert run("eat", memory=100_000_000) == Answer(said=(), cut_off=CutOff.BROKEN)


def test_it_bounds_what_a_child_says():
    answer = run("flood", output=1_000_000)
    assert answer.cut_off is CutOff.BROKEN
    assert len(answer.said) <= 10


def test_it_bounds_the_time(fifo):
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    answer = run("hang", fifo, seconds=1.0)
    assert os.read(reader, 100) == b"here\n"
    os.close(reader)
    assert answer == Answer(said=(), cut_off=CutOff.TOO_SLOW)


def test_it_raises_what_is_no_fault_of_the_document():
    with pytest.raises(RuntimeError, match="ValueError: reading went wrong"):
        run("fail")


def test_it_raises_when_a_child_cannot_start(monkeypatch):
    monkeypatch.setattr(calling, "_ROOT", Path("/nowhere"))
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(RuntimeError, match="did not start"):
        run("crash")


def test_it_does_not_listen_to_what_a_library_prints():
    assert run("chatter") == Answer(said=("all of it",))


def test_it_takes_no_more_from_a_child_that_talks_nonsense():
    assert run("lie") == Answer(said=("half of it",), cut_off=CutOff.BROKEN)


def test_it_gives_a_child_little(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "nobody's business")
    names, core, modules = run("surroundings").said
    assert set(names) <= {"LC_CTYPE", "LD_LIBRARY_PATH", "MALLOC_ARENA_MAX"} | {
        *("PYTHONHOME", "PYTHONPATH"),
    }
    assert core == [0, 0]
    assert not {"django", "celery", "pydantic"} & set(modules)


@pytest.mark.parametrize("name", ["hang", "hang_with_a_child"])
def test_it_leaves_nobody_behind_when_the_attempt_is_stopped(fifo, name):
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)

    def stop_once_it_runs():
        try:
            here = os.read(reader, 100)
        except BlockingIOError:
            return
        if here:
            raise AttemptStopped(StopReason.CANCELLED)

    with pytest.raises(AttemptStopped):
        run(name, fifo, stop_once_it_runs)
    os.set_blocking(reader, True)
    while os.read(reader, 100):
        pass  # Comes to an end when nobody holds the other side.
    os.close(reader)


@pytest.mark.parametrize(
    "name", ["hang", pytest.param("hang_holding_the_interpreter", marks=ON_LINUX)]
)
def test_it_ends_a_child_with_its_killed_parent(fifo, name):
    source = (
        "from pathlib import Path; from agents_app.reading.calling import call; "
        f"call({PROGRAMS!r}, Path({str(fifo)!r}), {name!r}, check=lambda: None)"
    )
    parent = subprocess.Popen([sys.executable, "-c", source], cwd=ROOT)
    with parent, fifo.open("rb") as child:
        assert child.readline() == b"here\n"
        parent.kill()
        assert child.read() == b""


def by_hand(name, path, *, cpu_seconds):
    """A child whose parent does not look at the clock."""
    numbers = ["500000000", str(cpu_seconds)]
    command = [sys.executable, "-m", "agents_app.reading.child", *numbers]
    return subprocess.Popen(
        [*command, PROGRAMS, str(path), name],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def test_it_ends_when_its_lifeline_does(fifo):
    with by_hand("hang", fifo, cpu_seconds=30) as child, fifo.open("rb") as pipe:
        assert pipe.readline() == b"here\n"
        child.stdin.close()
        assert pipe.read() == b""
    assert child.returncode == 1


def test_it_ends_by_itself_when_nobody_looks_at_the_clock(tmp_path):
    with by_hand("compute", tmp_path, cpu_seconds=1) as child:
        assert child.wait() == -SIGKILL
