"""System checks: settings that would only fail later, with stable ids."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from agents_app.vault import VaultError
from tasks_app import secrets


@register(Tags.security)
def check_encryption_keys(**_: Any) -> list[CheckMessage]:
    """Callback tokens and secrets are sealed: without a key nothing can be stored."""
    try:
        secrets.vault()
    except VaultError as error:
        return [
            Error(
                f"SYNAPSE_ENCRYPTION_KEYS cannot be used: {error}.",
                hint="Set it to one or more Fernet keys, the current one first.",
                id="synapse.E001",
            )
        ]
    return []


@register(Tags.security, deploy=True)
def check_api_keys_required(**_: Any) -> list[CheckMessage]:
    """P2A 5.1 lets everybody in while no key exists; not where strangers are."""
    if settings.SYNAPSE_REQUIRE_API_KEY:
        return []
    return [
        Warning(
            "SYNAPSE_REQUIRE_API_KEY is off: without any key, everybody may submit.",
            id="synapse.W001",
        )
    ]


@register()
def check_callbacks(**_: Any) -> list[CheckMessage]:
    """An empty schedule or no place at a receiver would mean that none is ever sent."""
    wrong = [
        name
        for name in ("SYNAPSE_CALLBACK_SCHEDULE", "SYNAPSE_CALLBACK_PER_ENDPOINT")
        if not getattr(settings, name)
    ]
    return [Error(f"{name} lets no callback out.", id="synapse.E003") for name in wrong]


@register()
def check_lease(**_: Any) -> list[CheckMessage]:
    """A lease that is not renewed in time would double every long task."""
    if settings.SYNAPSE_LEASE_RENEW_SECONDS * 2 <= settings.SYNAPSE_LEASE_SECONDS:
        return []
    return [
        Error(
            "SYNAPSE_LEASE_SECONDS must be at least twice SYNAPSE_LEASE_RENEW_SECONDS.",
            id="synapse.E002",
        )
    ]
