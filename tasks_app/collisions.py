"""Two writers that wait for each other: the database ends one of them.

Nothing of the loser is kept, and it may try again at once: the winner goes on. No rows
are known here: errors are told apart before Django has loaded any.
"""

import logging
from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, connection

# deadlock_detected, serialization_failure
_STATES = frozenset({"40P01", "40001"})

T = TypeVar("T")
logger = logging.getLogger(__name__)


def is_collision(error: BaseException) -> bool:
    """Whether the database was there, but ended this writer for another one."""
    return getattr(error.__cause__, "sqlstate", None) in _STATES


def once_more(write: Callable[[], T]) -> T:
    """What `write()` returns; called a second time after a collision.

    Inside a transaction the error passes: the rest of it is lost, too.
    """
    try:
        return write()
    except OperationalError as error:
        if connection.in_atomic_block or not is_collision(error):
            raise
        logger.warning("Two writers waited for each other, trying again: %s", error)
    return write()
