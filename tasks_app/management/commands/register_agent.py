"""`manage.py register_agent ID`: a remote agent may talk to this node."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents_app.models import MAX_OPEN, MAX_TASKS
from agents_app.protocol.errors import SynapseError
from tasks_app import peers


class Command(BaseCommand):
    """Prints the secret that both sides sign with; it cannot be shown again."""

    help = "Register a remote agent and print the secret it shares with us, once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Its id, how to reach it, and what it signs with."""
        parser.add_argument("id", help="letters, digits, dots, hyphens, underscores")
        parser.add_argument("--name", default="", help="what people call it")
        parser.add_argument(
            "--endpoint",
            default="",
            help="the URL its messages are posted to; without it, it has a mailbox",
        )
        parser.add_argument(
            "--fetch",
            action="store_true",
            help="it cannot call us: fetch our messages from its mailbox",
        )
        parser.add_argument(
            "--max-tasks",
            type=int,
            default=MAX_TASKS,
            help="how many of our tasks it may have at a time",
        )
        parser.add_argument(
            "--max-open",
            type=int,
            default=MAX_OPEN,
            help="how many unfinished tasks of its own it may have here",
        )
        parser.add_argument("--secret", help="whsec_…, instead of a fresh one")

    def handle(
        self,
        *args: Any,
        id: str,
        name: str,
        endpoint: str,
        secret: str | None,
        fetch: bool,
        max_tasks: int,
        max_open: int,
        **options: Any,
    ) -> None:
        """CommandError, with the reason, for what cannot be registered."""
        try:
            agent, clear = peers.register(
                id,
                name,
                endpoint=endpoint,
                secret=secret,
                fetch=fetch,
                max_tasks=max_tasks,
                max_open=max_open,
            )
        except SynapseError as refused:
            raise CommandError(_reason(refused)) from refused
        self.stdout.write(f"Agent:     {agent.address}")
        self.stdout.write(f"Endpoint:  {agent.endpoint or '(none: mailbox)'}")
        if agent.fetch:
            self.stdout.write("Fetching:  our messages, from its mailbox")
        self.stdout.write(f"Secret:    {clear}")
        self.stdout.write(f"Talks to:  agent:{settings.SYNAPSE_AGENT_ID}")
        self.stdout.write("Keep the secret now: it is not shown again.")


def _reason(refused: SynapseError) -> str:
    fields = refused.details.get("fields")
    if not isinstance(fields, dict):
        return refused.message
    return "; ".join(f"{name}: {text}" for name, text in fields.items())
