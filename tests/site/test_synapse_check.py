"""`manage.py synapse_check` against ourselves, both examples, and nobody."""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command

from agents_app.protocol import signing
from tests import services
from tests.receiver import Receiver, status
from tests.stack import Stack, Template
from tests.stack.process import ROOT

EXAMPLES = ROOT / "examples"
SECRET, OTHER = signing.new_secret(), signing.new_secret()


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    template = Template.make(tmp_path_factory.mktemp("template"))
    with Stack(template, tmp_path_factory.mktemp("stack")) as running:
        for name, secret in (("checker", SECRET), ("stranger", OTHER)):
            running.manage("register_agent", name, "--secret", secret)
        yield running
    template.drop()


def check(*words: str) -> str:
    """What it prints; CommandError with the failures if there are any."""
    out = io.StringIO()
    try:
        call_command("synapse_check", *words, stdout=out, no_color=True)
    except CommandError as failed:
        lines = [line for line in out.getvalue().splitlines() if "FAILED" in line]
        failed.args = ("\n".join([*failed.args, *lines]),)
        raise
    return out.getvalue()


@pytest.mark.journey
def test_it_passes_ourselves(stack: Stack) -> None:
    said = check(
        stack.url,
        *("--agent-id", "checker", "--secret", SECRET),
        *("--other-id", "stranger", "--other-secret", OTHER),
        *("--api-key", stack.client().key),
    )
    for group in ("signatures", "mailbox", "states", "decisions", "sides", "cancel"):
        assert f"ok      {group}: " in said
    assert "checks passed" in said


@pytest.mark.journey
def test_it_fails_who_does_not_know_us(stack: Stack) -> None:
    stranger = signing.new_secret()
    with pytest.raises(CommandError, match="checks failed") as failed:
        check(
            stack.url, "--agent-id", "checker", "--secret", stranger, "--patience", "0"
        )
    assert failed.value.returncode == 1


PYTHON = (sys.executable, str(EXAMPLES / "remote_agent" / "agent.py"))
NODE_JS = ("node", str(EXAMPLES / "remote_agent_node" / "agent.mjs"))


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(PYTHON, id="python"),
        pytest.param(
            NODE_JS,
            id="node",
            marks=pytest.mark.skipif(
                shutil.which("node") is None, reason="there is no Node.js here"
            ),
        ),
    ],
)
def test_it_passes_the_examples(command: tuple[str, ...]) -> None:
    ours, theirs = services.free_port(), services.free_port()
    environ = {
        "PATH": os.environ["PATH"],
        "SYNAPSE_URL": f"http://127.0.0.1:{ours}",
        "AGENT_ID": "ada",
        "AGENT_SECRET": SECRET,
        "AGENT_PORT": str(theirs),
    }
    with subprocess.Popen(command, env=environ) as agent:
        try:
            said = check(
                *("--peer", f"http://127.0.0.1:{theirs}/", "--listen", str(ours)),
                *("--agent-id", "ada", "--secret", SECRET),
                *("--task-type", "count_words", "--payload", '{"text": "a b"}'),
            )
        finally:
            agent.terminate()
    assert "ok      executing: it came again under the same id" in said


def test_it_fails_what_only_looks_like_a_node() -> None:
    me = ("--agent-id", "ada", "--secret", SECRET, "--patience", "0")
    with (
        Receiver(status(200, body=b"{}")) as somebody,
        pytest.raises(CommandError) as failed,
    ):
        check(somebody.url(""), *me)
    assert failed.value.returncode == 1


@pytest.mark.parametrize("words", [(), ("http://a", "--peer", "http://b")])
def test_it_wants_a_node_or_a_peer(words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="Name a node") as refused:
        check(*words, "--agent-id", "ada", "--secret", SECRET)
    assert refused.value.returncode == 2
