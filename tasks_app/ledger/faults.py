"""What an error of the database means: a row that it refuses, or nobody there.

    UNWRITABLE  its values: the same write fails again, and so does all beside it
    AWAY        cut off, restarting, silent, locked: the same write may work in a moment

The answer to a COMMIT may be lost on its way, so what is tried again may be there
already: `endure_write` says so, and `reading.arrived` finds out.
"""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.db import (
    DataError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    connection,
)

UNWRITABLE = (DataError, IntegrityError)
AWAY = (OperationalError, InterfaceError)

_FIRST_WAIT_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 1.0
# A value that the tables of another version insist on: the fault of no row.
_MISSING_VALUE = {"23502", "SQLITE_CONSTRAINT_NOTNULL"}

T = TypeVar("T")
logger = logging.getLogger(__name__)


def blames_row(error: Exception) -> bool:
    """Whether this row is refused for what it holds, so that its neighbours are not.

    False where code and tables do not fit, as in a deploy: that ends no task.
    """
    cause = error.__cause__
    names = {getattr(cause, "sqlstate", None), getattr(cause, "sqlite_errorname", None)}
    return isinstance(error, UNWRITABLE) and not names & _MISSING_VALUE


def endure(read: Callable[[], T], check: Callable[[], None] | None = None) -> T:
    """What `read()` returns: called again while the database is away.

    For as long as one lease; then the error passes, as it does inside a transaction,
    of which the rest is lost. `check` is called before each further call and may raise.
    """
    return endure_write(lambda _: read(), check)


def endure_write(
    write: Callable[[bool], T], check: Callable[[], None] | None = None
) -> T:
    """`endure` for `write(again)`, whose earlier call may have arrived.

    `again` is True from the second call on.
    """
    give_up_at = time.monotonic() + settings.SYNAPSE_LEASE_SECONDS
    again, wait = False, _FIRST_WAIT_SECONDS
    while True:
        try:
            return write(again)
        except AWAY as error:
            if connection.in_atomic_block or time.monotonic() + wait > give_up_at:
                raise
            connection.close()
            logger.warning("The database is away, trying again: %s", error)
        time.sleep(wait)
        again, wait = True, min(wait * 2, _LONGEST_WAIT_SECONDS)
        if check is not None:
            check()
