"""Somebody to begin with: an operator and a caller with a key, on the first start.

`demo.json` in the data folder remembers what was made, so that every later start can
show it again, and says what of it no longer holds.
"""

import json
from dataclasses import asdict
from pathlib import Path
from secrets import token_urlsafe

from django.contrib.auth import get_user_model
from django.db import transaction

from synapse_site.launch import private_files
from synapse_site.launch.access import DemoAccess, Standing
from tasks_app import callers
from tasks_app.models import Caller, CallerKey

OPERATOR = "operator"
CALLER = "demo"


def ensure(data_dir: Path) -> DemoAccess | None:
    """The demo access, made now if this database has neither a user nor a caller.

    None where others set up the database, or the file is gone: secrets are hashed and
    cannot be shown again.
    """
    path = data_dir / "demo.json"
    if not get_user_model().objects.exists() and not Caller.objects.exists():
        with transaction.atomic():
            access = _make()
            # Inside: access that was made and not written down would be lost.
            private_files.write(path, json.dumps(asdict(access), indent=2) + "\n")
        return access
    if path.is_file():
        return DemoAccess(**json.loads(path.read_text(encoding="utf-8")))
    return None


def _make() -> DemoAccess:
    password = token_urlsafe(12)
    get_user_model().objects.create_superuser(OPERATOR, password=password)
    caller, api_key = callers.create_caller(CALLER)
    return DemoAccess(
        operator=OPERATOR,
        password=password,
        caller=CALLER,
        api_key=api_key,
        callback_secret=callers.callback_secret(caller) or "",
    )


def standing(access: DemoAccess) -> Standing:
    """Whether the password still logs in, the key is taken and the secret signs."""
    caller = Caller.objects.filter(name=access.caller).first()
    user = get_user_model().objects.filter(username=access.operator).first()
    return Standing(
        access=access,
        password_holds=bool(
            user and user.is_active and user.check_password(access.password)
        ),
        key_holds=bool(CallerKey.objects.is_valid(access.api_key)),
        secret_holds=bool(
            caller and callers.callback_secret(caller) == access.callback_secret
        ),
    )
