"""`manage.py create_caller NAME`: somebody new may submit tasks."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tasks_app import callers


class Command(BaseCommand):
    """Prints the key and the callback secret; neither can be shown again."""

    help = "Create a caller and print its API key and callback secret, once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Its name, and a label for the key."""
        parser.add_argument("name")
        parser.add_argument(
            "--key-name", default="first", help="a label for the key (default: first)"
        )

    def handle(self, *args: Any, name: str, key_name: str, **options: Any) -> None:
        """CommandError, with the reason, for a name that cannot be used."""
        try:
            caller, key = callers.create_caller(name, key_name=key_name)
        except ValidationError as refused:
            raise CommandError(" ".join(refused.messages)) from refused
        self.stdout.write(f"Caller:          {caller.name} ({caller.id})")
        self.stdout.write(f"API key:         {key}")
        self.stdout.write(f"Callback secret: {callers.callback_secret(caller)}")
        self.stdout.write("Keep both now: they are not shown again.")
