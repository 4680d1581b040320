"""`manage.py synapse_check URL`: does a node, or a peer, speak the protocol?

Prints a line per check as it goes; docs/protocol.md, "Conformance".
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents_app.conformance import (
    Credentials,
    NodeUnderTest,
    PeerUnderTest,
    Verdict,
    check_node,
    check_peer,
)

FAILED, UNUSABLE = 1, 2


class Command(BaseCommand):
    """Exit code: 0 all passed, 1 a check failed, 2 it could not be run."""

    help = (
        "Check a node (URL) as a peer it knows, or a peer (--peer URL) as its node. "
        "Exit code: 0 all passed, 1 a check failed, 2 usage error."
    )
    # It talks HTTP and must work where no database is.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """The other side, and who we are there."""
        parser.add_argument("url", nargs="?", help="the node, such as http://host:8000")
        parser.add_argument("--peer", metavar="URL", help="a peer's endpoint instead")
        parser.add_argument("--agent-id", required=True, help="the peer: us, or --peer")
        parser.add_argument("--secret", required=True, help="whsec_… of that peer")
        parser.add_argument(
            "--node", default="agent:synapse", help="the node's address"
        )
        parser.add_argument("--other-id", help="a second peer that the node knows")
        parser.add_argument("--other-secret", help="whsec_… of that one")
        parser.add_argument("--api-key", help="of a P2A caller: checks all transitions")
        parser.add_argument("--task-type", help="one that completes by itself")
        parser.add_argument("--payload", type=_payload, default={}, metavar="JSON")
        parser.add_argument(
            "--listen", type=int, default=8765, help="our port, where --peer finds us"
        )
        parser.add_argument(
            "--patience", type=float, default=30.0, help="seconds for each answer"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """CommandError with 1 unless everything passed."""
        if bool(options["url"]) == bool(options["peer"]):
            raise CommandError(
                "Name a node, or a peer with --peer.", returncode=UNUSABLE
            )
        verdicts = list(self._shown(_verdicts(options)))
        failed = sum(not verdict.passed for verdict in verdicts)
        if failed:
            raise CommandError(
                f"{failed} of {len(verdicts)} checks failed.", returncode=FAILED
            )
        self.stdout.write(f"All {len(verdicts)} checks passed.")

    def _shown(self, verdicts: Iterator[Verdict]) -> Iterator[Verdict]:
        self.stdout.write(_line("", "check", "expected", "seen"))
        for one in verdicts:
            word = "ok" if one.passed else "FAILED"
            style = str if one.passed else self.style.ERROR
            name = f"{one.group}: {one.check}"
            self.stdout.write(style(_line(word, name, one.expected, one.seen)))
            yield one


def _line(word: str, check: str, expected: str, seen: str) -> str:
    return f"{word:6}  {check:58}  {expected:24}  {seen}"


def _verdicts(options: Mapping[str, Any]) -> Iterator[Verdict]:
    me = Credentials(agent_id=options["agent_id"], secret=options["secret"])
    both = {
        "me": me,
        "address": options["node"],
        "task_type": options["task_type"],
        "payload": options["payload"],
        "patience_s": options["patience"],
    }
    if options["peer"]:
        peer = PeerUnderTest(url=options["peer"], listen=options["listen"], **both)
        return check_peer(peer)
    other = None
    if options["other_id"] and options["other_secret"]:
        other = Credentials(
            agent_id=options["other_id"], secret=options["other_secret"]
        )
    return check_node(
        NodeUnderTest(
            url=options["url"], other=other, api_key=options["api_key"], **both
        )
    )


def _payload(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"cannot be read as JSON: {error}") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("must be a JSON object, such as '{\"a\": 1}'")
    return value
