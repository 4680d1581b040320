"""Callers, their API keys and the secret that signs their callbacks.

    admin, create_caller, the no-key mode → verb → caller and key rows

A clear key or secret exists only in what a verb returns: at rest keys are hashed and
secrets are sealed.
"""

from typing import cast

from django.db import transaction

from agents_app.protocol import signing
from tasks_app.models import Caller, CallerKey
from tasks_app.secrets import vault

ANONYMOUS = "anonymous"


def create_caller(name: str, *, key_name: str = "first") -> tuple[Caller, str]:
    """A new caller with its first key, in clear text; the secret is sealed in the row.

    Raises ValidationError for a name that is blank, longer than 100 or taken.
    """
    caller = Caller(name=name, callback_secret=vault().seal(signing.new_secret()))
    caller.full_clean()
    with transaction.atomic():
        caller.save(force_insert=True)
        _, clear = create_key(caller, key_name)
    return caller, clear


def create_key(caller: Caller, name: str) -> tuple[CallerKey, str]:
    """One more key of a caller, and its clear text: nobody can show it again."""
    key, clear = CallerKey.objects.create_key(name=name[:50], caller=caller)
    return cast(CallerKey, key), clear


def revoke_key(key: CallerKey) -> None:
    """Refuse it from the next request on. There is no way back."""
    CallerKey.objects.filter(pk=key.pk).update(revoked=True)


def callback_secret(caller: Caller) -> str | None:
    """`whsec_…` in clear text; None when the caller has none."""
    return vault().open(caller.callback_secret) if caller.callback_secret else None


def rotate_callback_secret(caller: Caller) -> str:
    """A new secret, in clear text; callbacks are signed by it from now on."""
    secret = signing.new_secret()
    caller.callback_secret = vault().seal(secret)
    Caller.objects.filter(pk=caller.pk).update(callback_secret=caller.callback_secret)
    return secret


def no_key_ever() -> bool:
    """Whether P2A 5.1 "no API key configured" holds (decision 34).

    A revoked key counts. So does a caller whose keys were deleted: a door that was
    locked once does not open again by losing the key.
    """
    known = Caller.objects.exclude(name=ANONYMOUS).exists()
    return not known and not CallerKey.objects.exists()


def anonymous() -> Caller:
    """The caller that stands for everybody while no key exists."""
    found, _ = Caller.objects.get_or_create(
        name=ANONYMOUS,
        defaults={"callback_secret": vault().seal(signing.new_secret())},
    )
    return found
