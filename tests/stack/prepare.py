"""Run as `python -m tests.stack.prepare`: migrate, make an operator and two callers.

Prints what it made as JSON. The database comes from the environment.
"""

import json
import os
import sys

import django
from django.core.management import call_command


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "synapse_site.settings"
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)

    from django.contrib.auth.models import User

    User.objects.create_superuser("operator", password="let me in")
    callers = {name: _caller(name) for name in ("acme", "stranger")}
    json.dump(callers, sys.stdout)


def _caller(name: str) -> dict[str, str]:
    from agents_app.protocol import signing
    from tasks_app.models import Caller, CallerKey
    from tasks_app.secrets import vault

    secret = signing.new_secret()
    caller = Caller.objects.create(name=name, callback_secret=vault().seal(secret))
    _, key = CallerKey.objects.create_key(name=name, caller=caller)
    return {"key": key, "secret": secret}


if __name__ == "__main__":
    main()
