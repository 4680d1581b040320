"""`manage.py submit TYPE`: hand in a task over the REST API, and follow it if wanted.

Standard output gets JSON only: the acknowledgement, or with --watch the result. What
happens meanwhile goes to standard error.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser

from agents_app.protocol.payloads import Priority
from tasks_app.management import client, watching

FAILED, UNUSABLE, INTERRUPTED = 1, 2, 130


class Command(BaseCommand):
    """Exit code: 0 accepted or completed, 1 failed or cancelled, 2 it did not work."""

    help = (
        "Submit a task over the REST API. Reads SYNAPSE_URL and SYNAPSE_API_KEY. "
        "Exit code: 0 accepted (with --watch: completed), 1 failed or cancelled, "
        "2 usage or connection error."
    )
    # It talks HTTP and must work where no database is.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("type", help="task type; see `manage.py capabilities`")
        parser.add_argument(
            "--payload",
            type=_payload,
            default={},
            metavar="JSON|@FILE",
            help="input of the task, a JSON object (default: {})",
        )
        parser.add_argument(
            "--file",
            type=_file,
            action="extend",
            nargs="+",
            default=[],
            metavar="FILE",
            help="files to send along; may be repeated",
        )
        parser.add_argument("--priority", choices=[str(p) for p in Priority])
        parser.add_argument("--external-id", metavar="ID", help="your own task id")
        parser.add_argument(
            "--watch", action="store_true", help="follow the task until its end"
        )
        parser.add_argument("--url", help="where Synapse is (SYNAPSE_URL)")
        parser.add_argument("--key", help="API key (SYNAPSE_API_KEY)")

    def handle(self, *args: Any, **options: Any) -> None:
        api = client.configured(options["url"], options["key"])
        try:
            accepted = _submit(api, options)
            if not options["watch"]:
                self._print(accepted)
                return
            task = watching.follow(api, accepted["task_id"], sys.stderr)
        except (client.Unreachable, client.Refused) as error:
            self._end(UNUSABLE, str(error))
        except watching.Interrupted as stopped:
            self._end(INTERRUPTED, str(stopped))
        if task["status"] != "completed":
            self._end(FAILED, watching.why_not(task))
        self._print(task["result"])

    def _end(self, code: int, text: str) -> NoReturn:
        """Not a CommandError: an answer of the server is no mistake in the command."""
        self.stderr.write(text)
        sys.exit(code)

    def _print(self, value: object) -> None:
        self.stdout.write(json.dumps(value, indent=2, ensure_ascii=False))


def _submit(api: client.Client, options: Mapping[str, Any]) -> client.Json:
    optional = {
        "priority": options["priority"],
        "external_task_id": options["external_id"],
    }
    fields = {"task_type": options["type"]}
    fields |= {name: value for name, value in optional.items() if value is not None}
    if options["file"]:
        fields["payload"] = json.dumps(options["payload"])
        return api.post_files("/task/multipart", fields, options["file"])
    return api.post("/task", {**fields, "payload": options["payload"]})


def _payload(text: str) -> client.Json:
    """A JSON object, or `@file` with one in it."""
    try:
        if text.startswith("@"):
            text = Path(text[1:]).read_text(encoding="utf-8")
        value = json.loads(text)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot be read as JSON: {error}") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("must be a JSON object, such as '{\"a\": 1}'")
    return value


def _file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {name}")
    return path
