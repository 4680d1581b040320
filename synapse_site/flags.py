"""The cache of the bell flags on Redis, with one client instead of one for each call.

Optimization: making a client costs four times what the call does, and every submit
looks at a flag. Clients of redis are made to be shared by threads, and notice a fork.
"""

from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient


class FlagsClient(RedisCacheClient):
    """Keeps what `get_client` made."""

    _kept: Any = None  # Any: whatever client Django makes.

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        """The one client, whatever the key (Any: not looked at)."""
        if self._kept is None:
            self._kept = super().get_client(key, write=write)
        return self._kept


class RedisFlags(RedisCache):
    """Django's cache backend on that client."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = FlagsClient
