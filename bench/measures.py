"""What is measured, one function a topic. docs/performance.md explains the lines."""

import http.client
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.load import Sample, send
from bench.memory import megabytes
from bench.rounds import Line, compare, interleave
from bench.subject import Baseline, Product

PAUSE_SECONDS = 0.12


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How long it all takes."""

    rounds: int = 7
    # Of submits, of submits that are also worked off, of reads.
    seconds: float = 1.5
    whole_seconds: float = 0.7
    reads_seconds: float = 1.0
    # How many tasks and messages make a backlog.
    single: int = 300
    backlog: int = 1500
    raw: int = 1000
    idle: int = 25


QUICK = Scale(
    rounds=3,
    seconds=0.7,
    whole_seconds=0.4,
    reads_seconds=0.5,
    single=100,
    backlog=500,
    raw=300,
    idle=6,
)


@dataclass(frozen=True, kw_only=True)
class Bench:
    product: Product
    baseline: Baseline
    scale: Scale
    stack: str


def submits(bench: Bench) -> list[Line]:
    """Submits of 32 connections, no worker in their lane, against a bare insert."""
    seconds = bench.scale.seconds
    taken = interleave(
        bench.scale.rounds,
        {
            "ours": lambda: send(bench.product.submit_load("parked", seconds)),
            "bare": lambda: send(bench.baseline.load("POST", "/insert", seconds)),
        },
    )
    ours, bare = taken["ours"], taken["bare"]
    worst = statistics.median(sample.p99 / sample.p50 for sample in ours)
    goals = bench.stack == "production"
    return [
        compare(
            "submits, vs bare DRF insert",
            *(_rates(ours), _rates(bare), "/s"),
            goal="P1" if goals else "",
            must=1.6 if goals else None,
        ),
        compare(
            "submit p99, vs bare insert p99",
            [sample.p99 for sample in ours],
            [sample.p99 for sample in bare],
            "ms",
            goal="P2" if goals else "",
            must=0.6 if goals else None,
            at_most=True,
        ),
        Line(
            what="submit p99, vs its own p50",
            ours=f"{statistics.median(s.p99 for s in ours):,.0f} ms",
            baseline=f"{statistics.median(s.p50 for s in ours):,.0f} ms",
            ratio=worst,
            goal="" if goals else "P10",
            must=None if goals else 10.0,
            at_most=True,
        ),
    ]


def tasks(bench: Bench) -> list[Line]:
    """Backlogs of no-op tasks against a backlog of no-op Celery messages."""
    scale = bench.scale
    taken = interleave(
        scale.rounds,
        {
            "single": lambda: bench.product.drain("single", scale.single),
            "backlog": lambda: bench.product.drain("default", scale.backlog),
            "raw": lambda: bench.baseline.raw_drain(scale.raw),
        },
    )
    raw = taken["raw"]
    return [
        compare(
            "tasks one at a time, vs raw Celery no-op",
            *(taken["single"], raw, "/s"),
            goal="P3",
            must=0.35,
        ),
        compare(
            "tasks from a backlog, vs raw Celery no-op",
            *(taken["backlog"], raw, "/s"),
            goal="P4",
            must=1.5,
        ),
    ]


def end_to_end(bench: Bench) -> list[Line]:
    """From the first submit of 32 connections to the last completed task."""
    seconds = bench.scale.whole_seconds
    product, baseline = bench.product, bench.baseline

    def ours() -> float:
        load = product.submit_load("default", seconds)
        return _whole(send(load), lambda: product.wait_until_done("default"))

    def handmade() -> float:
        load = baseline.load("POST", "/submit", seconds)
        return _whole(send(load), baseline.wait_until_done)

    taken = interleave(bench.scale.rounds, {"ours": ours, "handmade": handmade})
    embedded = bench.stack == "embedded"
    return [
        compare(
            "HTTP to completed, vs hand-written",
            *(taken["ours"], taken["handmade"], "/s"),
            goal="P10" if embedded else "",
            must=1.5 if embedded else None,
        )
    ]


def status_reads(bench: Bench) -> list[Line]:
    """GET /task/{id}/status of 32 connections."""
    seconds = bench.scale.reads_seconds
    task = bench.product.one_completed()
    row = bench.baseline.one_completed()
    load = bench.baseline.load
    taken = interleave(
        bench.scale.rounds,
        {
            "ours": lambda: send(
                bench.product.read_load(f"task/{task}/status", seconds)
            ),
            "noop": lambda: send(load("GET", "/noop", seconds)),
            "read": lambda: send(load("GET", f"/row/{row}", seconds)),
            "keyed": lambda: send(load("GET", f"/keyed/{row}", seconds)),
        },
    )
    ours = _rates(taken["ours"])
    return [
        compare("status reads, vs no-op DRF view", ours, _rates(taken["noop"]), "/s"),
        compare(
            "status reads, vs DRF GET without a key",
            *(ours, _rates(taken["read"]), "/s"),
        ),
        compare(
            "status reads, vs DRF GET with an API key",
            *(ours, _rates(taken["keyed"]), "/s"),
            goal="P6",
            must=1.8,
        ),
    ]


def idle(bench: Bench) -> list[Line]:
    """Single submits into a system at rest, by turns."""
    product, baseline = bench.product, bench.baseline
    webs = [
        http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for port in (product.stack.web_port, product.stack.bare_port)
    ]
    ours: list[tuple[float, float]] = []
    handmade: list[tuple[float, float]] = []
    for number in range(bench.scale.idle + 2):
        time.sleep(PAUSE_SECONDS)
        mine = product.idle_latency(webs[0])
        time.sleep(PAUSE_SECONDS)
        other = baseline.idle_latency(webs[1])
        if number >= 2:
            ours.append(mine)
            handmade.append(other)
    return [
        *_latencies("submit to handler start, at rest", 0, ours, handmade, ""),
        *_latencies("submit to completed, at rest", 1, ours, handmade, "P7"),
    ]


def statements(bench: Bench) -> list[Line]:
    """SQL of one submit over HTTP and of one task, counted in a process of its own."""
    stack = bench.product.stack
    done = subprocess.run(
        [sys.executable, "-m", "bench.statements"],
        env={
            **stack.environ,
            "DJANGO_SETTINGS_MODULE": "bench.product.settings",
            "LOG_LEVEL": "WARNING",
        },
        stdout=subprocess.PIPE,
        check=True,
    )
    found = json.loads(done.stdout)
    return [
        Line(
            what=f"SQL of a {what}",
            ours=f"{seen['statements']:.2g} statements, {seen['commits']:.2g} commits",
        )
        for what, seen in found.items()
    ]


def memory(bench: Bench) -> list[Line]:
    """Web and worker with two slots, after the load."""
    processes = bench.product.stack.processes
    ours = megabytes(processes[name].pid for name in ("web", "worker"))
    handmade = megabytes(processes[name].pid for name in ("bare", "handmade"))
    production = bench.stack == "production"
    return [
        Line(
            what=f"memory of web and worker ({kind}), vs hand-written",
            ours=f"{ours[kind]:,.0f} MB",
            baseline=f"{handmade[kind]:,.0f} MB",
            ratio=ours[kind] / handmade[kind],
            goal="P9" if production and kind == "Rss" else "",
            must=1.0 if production and kind == "Rss" else None,
            at_most=True,
        )
        for kind in ("Rss", "Pss")
    ]


def _rates(samples: Sequence[Sample]) -> list[float]:
    return [sample.rate for sample in samples]


def _whole(sample: Sample, wait: Callable[[], None]) -> float:
    """Tasks per second including what was left when the submits ended."""
    began = time.monotonic()
    wait()
    return sample.answers / (sample.seconds + time.monotonic() - began)


def _latencies(
    what: str,
    place: int,
    ours: Sequence[tuple[float, float]],
    handmade: Sequence[tuple[float, float]],
    goal: str,
) -> list[Line]:
    mine = sorted(times[place] for times in ours)
    others = sorted(times[place] for times in handmade)
    p95 = int(len(mine) * 0.95)
    return [
        Line(
            what=f"{what}: {name}, vs hand-written",
            ours=f"{mine[at]:.1f} ms",
            baseline=f"{others[at]:.1f} ms",
            ratio=mine[at] / others[at],
            goal=goal if name == "median" else "",
            must=0.5 if goal and name == "median" else None,
            at_most=True,
        )
        for name, at in (("median", len(mine) // 2), ("p95", p95))
    ]
