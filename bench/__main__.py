"""`make bench`: how fast Synapse is, as ratios to baselines of the same run.

    here: servers, environment → bench.run, once a stack → table

Nothing outside a temporary folder is touched. docs/performance.md tells how to read it.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench import run
from bench.report import table
from bench.rounds import Line
from bench.stack import ROOT
from tests import services

STACKS = ("production", "embedded")


def main() -> int:
    """1 when a stack could not be measured; a missed goal is no failure."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = ArgumentParser(prog="bench", parents=[run.parser()])
    parser.add_argument("--stack", choices=STACKS, help="only this one")
    parser.add_argument("--json", type=Path, help="also write the lines to this file")
    asked = parser.parse_args()
    found: dict[str, list[Line]] = {}
    for stack in [asked.stack] if asked.stack else STACKS:
        if stack == "production" and (reason := services.lacking()):
            print(f"bench: the production stack is left out: {reason}.")
            continue
        found[stack] = measure(stack, asked)
        print(table(stack, found[stack]), flush=True)
    if asked.json:
        lines = {stack: [vars(line) for line in found[stack]] for stack in found}
        asked.json.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
    return 0 if found else 1


def measure(stack: str, asked: Namespace) -> list[Line]:
    """Start the servers of a stack and measure it in a process of its own."""
    with ExitStack() as running:
        folder = running.enter_context(tempfile.TemporaryDirectory(prefix="bench-"))
        environ = environment(stack, folder, running)
        command = [sys.executable, "-m", "bench.run", stack, *_options(asked)]
        done = subprocess.run(
            command, env=environ, cwd=ROOT, stdout=subprocess.PIPE, check=False
        )
        if done.returncode:
            tell_logs(Path(folder))
            sys.exit(f"bench: the {stack} stack could not be measured")
        return [Line(**line) for line in json.loads(done.stdout)]


def environment(stack: str, folder: str, running: ExitStack) -> dict[str, str]:
    """A clean environment; nothing of the developer's own settings leaks in."""
    ours = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY", "DEBUG", "PORT")
    environ = {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith(("SYNAPSE_", "DJANGO_"))
    }
    environ |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "SECRET_KEY": "bench-only-" + "x" * 50,
        "SYNAPSE_ENCRYPTION_KEYS": "YmVuY2gtb25seS1iZW5jaC1vbmx5LWJlbmNoLW9ubHk=",
        "SYNAPSE_DATA_DIR": folder,
        "BENCH_SPOOL": f"{folder}/broker",
        "BENCH_BROKER": "spool://",
        "BENCH_HANDMADE_BROKER": "spool://",
    }
    if services.find_redis():
        environ["BENCH_HANDMADE_BROKER"] = running.enter_context(services.redis())
    if stack == "production":
        broker = environ["BENCH_HANDMADE_BROKER"]
        environ |= {
            "BENCH_BROKER": broker,
            "CELERY_BROKER_URL": broker,
            "DATABASE_URL": running.enter_context(services.postgres(durable=True)),
        }
    return environ


def tell_logs(folder: Path) -> None:
    """The end of what each process said."""
    for log in sorted(folder.glob("*.log")):
        lines: Sequence[str] = log.read_text(errors="replace").splitlines()[-15:]
        for line in lines:
            print(f"{log.stem} | {line}", file=sys.stderr)


def _options(asked: Namespace) -> list[str]:
    options = [f"--only={asked.only}"]
    options += ["--quick"] if asked.quick else []
    return options + (["--long"] if asked.long else [])


if __name__ == "__main__":
    sys.exit(main())
