"""How fast one peer may talk: a bucket of requests that fills again all the time.

Per process, web or courier, and in memory: what it guards is the database. Counted only
once a signature was verified, so that nobody uses up the pace of somebody else.
"""

import math
import threading
import time
from dataclasses import dataclass, field

from django.conf import settings

from agents_app.protocol.errors import Code, SynapseError


@dataclass(slots=True)
class Buckets:
    """One per peer; there are no more than registered peers."""

    _left: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self, peer_id: str) -> None:
        """RATE_LIMITED, with seconds to wait, when the peer had its minute's share."""
        share: int = settings.SYNAPSE_PEER_MESSAGES_PER_MINUTE
        now = time.monotonic()
        with self._lock:
            left, since = self._left.get(peer_id, (float(share), now))
            left = min(float(share), left + (now - since) * share / 60)
            short = left < 1
            self._left[peer_id] = (left if short else left - 1, now)
        if short:
            wait = math.ceil((1 - left) * 60 / share)
            raise SynapseError(
                Code.RATE_LIMITED, details={"per_minute": share}, retry_after=wait
            )


buckets = Buckets()
