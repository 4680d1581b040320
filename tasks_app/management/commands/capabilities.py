"""`manage.py capabilities`: what this node can do, without asking its web process."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from agents_app.protocol import jsontext
from agents_app.registry import HandlerSpec, enabled_specs
from tasks_app.api.capabilities import document


class Command(BaseCommand):
    """For people by default; `--json` is what GET /capabilities answers."""

    help = "Show the task types and limits of this node."

    def add_arguments(self, parser: CommandParser) -> None:
        """How to print it."""
        parser.add_argument("--json", action="store_true", help="as callers see it")

    def handle(self, *args: Any, json: bool, **options: Any) -> None:
        """One paragraph a task type, then the limits."""
        if json:
            self.stdout.write(jsontext.dumps(document()).decode())
            return
        for spec in enabled_specs():
            self.stdout.write(_paragraph(spec))
        for name, value in document().items():
            if isinstance(value, int | str):
                self.stdout.write(f"{name:<26}{value}")


def _paragraph(spec: HandlerSpec) -> str:
    files = ", takes files" if spec.accepts_files else ""
    head = f"{spec.task_type}  ({spec.estimated_time}, lane {spec.lane}{files})"
    lines = [head, *(f"    {line}".rstrip() for line in spec.description.splitlines())]
    return "\n".join([*lines, ""])
