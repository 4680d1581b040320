"""`make test`: the whole suite on the embedded stack, then on PostgreSQL and Redis.

Arguments go to pytest. STACK=embedded or STACK=production runs one of the two only.
What is missing is said before pytest starts, so that its closing lines come last.
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests import services

ROOT = Path(__file__).resolve().parent.parent
STACKS = ("embedded", "production")
# They know neither database nor broker: once is enough.
STACKLESS = ("tests/agents", "tests/protocol", "tests/kit/test_agent.py")
# pytest's own code, and the shell's for SIGINT.
INTERRUPTED = (2, 130, -signal.SIGINT)


def main(arguments: list[str]) -> int:
    """The worst exit code of the runs; 2 for a request that cannot be met."""
    wanted = os.environ.get("STACK") or ",".join(STACKS)
    stacks = [stack.strip() for stack in wanted.split(",")]
    try:
        require(stacks)
    except ValueError as error:
        say(str(error))
        return 2
    if "production" in stacks and (reason := services.lacking()):
        stacks.remove("production")
        say(f"the production stack is left out: {reason}.")
    worst = 0
    for number, stack in enumerate(stacks):
        again = number > 0 and not arguments
        left_out = [f"--ignore={path}" for path in STACKLESS] if again else []
        code = run(stack, [*arguments, *left_out])
        worst = max(worst, code)
        if code in INTERRUPTED:
            break
    return worst


def require(stacks: list[str]) -> None:
    """ValueError for an unknown stack or a missing service that is insisted on."""
    if unknown := [stack for stack in stacks if stack not in STACKS]:
        raise ValueError(f"STACK: unknown {unknown}, known are {list(STACKS)}")
    for name in sorted(services.required()):
        if reason := services.missing(name):
            raise ValueError(f"{reason}, but SYNAPSE_TEST_REQUIRE asks for it")
    if stacks == ["production"] and (reason := services.lacking()):
        raise ValueError(f"STACK=production cannot run: {reason}")


def run(stack: str, arguments: list[str]) -> int:
    """pytest with the environment of one stack; what it started is gone afterwards."""
    environ = dict(os.environ)
    for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
        environ.pop(name, None)
    say(f"the {stack} stack")
    with ExitStack() as cleanup:
        folder = tempfile.TemporaryDirectory(prefix="synapse-tests-")
        environ["SYNAPSE_DATA_DIR"] = cleanup.enter_context(folder)
        if stack == "production":
            environ["DATABASE_URL"] = cleanup.enter_context(services.postgres())
            environ["CELERY_BROKER_URL"] = cleanup.enter_context(services.redis())
        return pytest([*arguments], environ)


def pytest(arguments: list[str], environ: dict[str, str]) -> int:
    """Run it to its end: when interrupted it first stops what its tests started."""
    command = [sys.executable, "-m", "pytest", *arguments]
    child = subprocess.Popen(command, cwd=ROOT, env=environ)
    # A terminal's Ctrl-C reaches pytest by itself.
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
        signal.SIGTERM: signal.signal(
            signal.SIGTERM, lambda *_: child.send_signal(signal.SIGINT)
        ),
    }
    try:
        return child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say(text: str) -> None:
    sys.stdout.write(f"tests: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
