"""The node's vault, with the keys of the settings."""

from functools import cache

from django.conf import settings

from agents_app.vault import Vault


@cache
def vault() -> Vault:
    """What seals callback tokens and secrets; VaultError when no key is configured."""
    return Vault(settings.SYNAPSE_ENCRYPTION_KEYS)
