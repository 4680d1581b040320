"""All measures on one stack whose servers run: `python -m bench.run STACK`.

A process of its own a stack, because Django has its settings once a process. The
report goes to standard output as JSON, what it is doing to standard error.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import django
from django.core.management import call_command

from bench.rounds import Line
from bench.stack import ROOT, Stack

PRODUCT = "bench.product.settings"
BASELINE = "bench.baseline.settings"


def parser() -> ArgumentParser:
    options = ArgumentParser(add_help=False)
    options.add_argument("--quick", action="store_true", help="few, short rounds")
    options.add_argument("--long", action="store_true", help="also lists of many rows")
    options.add_argument("--only", default="", help="topics, separated by commas")
    return options


def main(stack_name: str, asked: Namespace) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = PRODUCT
    stack = Stack(
        name=stack_name,
        folder=Path(os.environ["SYNAPSE_DATA_DIR"]),
        environ=dict(os.environ),
    )
    django.setup()
    call_command("migrate", verbosity=0)
    baseline_key = subprocess.run(
        [sys.executable, "-m", "bench.baseline"],
        env={**stack.environ, "DJANGO_SETTINGS_MODULE": BASELINE},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    with stack.running():
        lines = measure(stack, baseline_key, asked)
    json.dump([asdict(line) for line in lines], sys.stdout)


def measure(stack: Stack, baseline_key: str, asked: Namespace) -> Sequence[Line]:
    # Models, so only after the setup.
    from bench import measures, subject, topics

    caller_id, key = subject.caller_with_key()
    bench = measures.Bench(
        product=subject.Product(stack=stack, caller_id=caller_id, key=key),
        baseline=subject.Baseline(stack=stack, key=baseline_key),
        scale=measures.QUICK if asked.quick else measures.Scale(),
        stack=stack.name,
    )
    lines: list[Line] = []
    for topic in topics.named(asked.only, long=asked.long):
        print(f"{stack.name}: {topic.__name__} ...", file=sys.stderr, flush=True)
        lines += topic(bench)
    return lines


if __name__ == "__main__":
    whole = ArgumentParser(parents=[parser()])
    whole.add_argument("stack")
    named = whole.parse_args()
    main(named.stack, named)
