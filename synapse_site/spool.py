"""The embedded broker: doorbells as small files in one folder, no server.

Stands below Celery when CELERY_BROKER_URL is unset. A bell only says that a lane has
work (the rows are the queue), so nothing is synced to disk and a bell that dies with
its worker is healed by the sweep. docs/decisions/0001-embedded-broker.md tells why
kombu's own filesystem transport is not used.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.transport import virtual
from kombu.utils.json import dumps, loads

POLL_SECONDS = 0.01

logger = logging.getLogger(__name__)


class Channel(virtual.Channel):
    """One file per bell; every process on this machine sees the same folder."""

    def __init__(self, connection: virtual.Transport, **kwargs: Any) -> None:
        super().__init__(connection, **kwargs)
        options = (connection.client and connection.client.transport_options) or {}
        if "folder" not in options:
            raise ValueError("spool:// needs the transport option `folder`.")
        self.folder = Path(options["folder"])
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def _put(self, queue: str, message: dict[str, Any], **kwargs: Any) -> None:
        name = f"{time.time_ns()}-{uuid4().hex}.{queue}.bell"
        draft = self.folder / f".{name}"
        draft.write_text(dumps(message), encoding="utf-8")
        # A reader must never see half a bell: it has its name only when complete.
        draft.rename(self.folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        for bell in self._bells(queue):
            try:
                body = bell.read_bytes()
                bell.unlink()  # Whoever removes the file owns the bell.
                message: dict[str, Any] = loads(body)
            except FileNotFoundError:
                continue
            except ValueError:
                # Cut short by a power loss. Raised on, it would end the worker.
                logger.warning("Dropped a damaged bell: %s", bell.name)
                continue
            return message
        raise Empty

    def _size(self, queue: str) -> int:
        return sum(1 for _ in self._bells(queue))

    def _purge(self, queue: str) -> int:
        bells = list(self._bells(queue))
        for bell in bells:
            bell.unlink(missing_ok=True)
        return len(bells)

    def _bells(self, queue: str) -> Iterator[Path]:
        """The bells of one queue, oldest first; drafts start with a dot."""
        wanted = f"{queue}.bell"
        names = (path.name for path in self.folder.iterdir())
        for name in sorted(n for n in names if n.partition(".")[2] == wanted):
            yield self.folder / name


class Transport(virtual.Transport):
    """Celery knows it as `spool://`, with the option `folder`."""

    Channel = Channel
    driver_type = "spool"
    driver_name = "spool"
    default_port = 0
    polling_interval = POLL_SECONDS

    # With an event loop each pool process has a pipe of its own. Without one they share
    # a lock, and one that is killed while it waits for work stops all others for ever.
    implements = virtual.Transport.implements.extend(asynchronous=True)

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        """Celery's worker gives its loop. Any: kombu has no types for either."""
        loop.call_repeatedly(POLL_SECONDS, self._hand_over, (connection,))

    def _hand_over(self, connection: Any) -> None:
        """All bells that there are, as far as they may be fetched ahead."""
        with suppress(TimeoutError):
            while True:
                self.drain_events(connection, timeout=0)

    def driver_version(self) -> str:
        return "1"
