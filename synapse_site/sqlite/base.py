"""The database backend; Django finds it by the name of this module."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from django.db.backends.sqlite3 import base

# As long as SQLite itself lets it become: 1000 pages.
LONG_BYTES = 4 * 1024 * 1024
# A reader that lasts keeps the log long whatever is done.
_APART_SECONDS = 0.2


class _Latest:
    """When this process did it last."""

    at = 0.0


class DatabaseWrapper(base.DatabaseWrapper):
    """Writes the log into the database file as its transactions begin."""

    def _start_transaction_under_autocommit(self) -> None:
        super()._start_transaction_under_autocommit()  # type: ignore[misc] # not in its stubs
        path = str(self.settings_dict["NAME"])
        if not (_is_long(Path(f"{path}-wal")) and _is_time()):
            return
        checkpoint(path)
        # Once more: only who begins after it, and finds all of it written, may start
        # the log anew.
        self.cursor().execute("ROLLBACK")
        super()._start_transaction_under_autocommit()  # type: ignore[misc] # as above


def checkpoint(path: str) -> None:
    """Write the log into the database file; called while this process may write.

    By another connection, because one in a transaction cannot. It waits for nobody.
    """
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
        other.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()


def _is_long(log: Path) -> bool:
    try:
        return log.stat().st_size > LONG_BYTES
    except OSError:  # There is none yet, or the database lies in memory.
        return False


def _is_time() -> bool:
    now = time.monotonic()
    if now - _Latest.at < _APART_SECONDS:
        return False
    _Latest.at = now
    return True
