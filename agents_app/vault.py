"""Secrets at rest: peer secrets and callback tokens are sealed before a row holds them.

Knows no settings: whoever makes a `Vault` brings the keys.
"""

from collections.abc import Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet


class VaultError(Exception):
    """A key that is none, or a sealed text that none of the keys opens."""


class Vault:
    """The first key seals, every key opens: a new key goes in front, old ones stay
    until all they sealed is gone.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        """Keys as `new_key` makes them; VaultError without any, or for another text."""
        if not keys:
            raise VaultError("a vault needs at least one key")
        try:
            self._fernet = MultiFernet([Fernet(key) for key in keys])
        except ValueError:
            # Not chained: the cause may quote the key.
            raise VaultError("a key is not 32 bytes in URL-safe base64") from None

    def seal(self, text: str) -> str:
        """Encrypt; another result each time, of ASCII, about 4/3 the length + 100."""
        return self._fernet.encrypt(text.encode()).decode("ascii")

    def open(self, token: str) -> str:
        """The text that was sealed; VaultError if it was altered or no key fits."""
        try:
            return self._fernet.decrypt(token).decode()
        except (InvalidToken, ValueError) as error:  # ValueError: not ASCII.
            raise VaultError("no key opens this secret") from error


def new_key() -> str:
    """A fresh random key, for SYNAPSE_ENCRYPTION_KEYS."""
    return Fernet.generate_key().decode("ascii")
