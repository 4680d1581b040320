"""The DB-API module that Django's backend uses: psycopg, but no wait is endless.

`answer_timeout` (seconds) bounds each wait for the server: a statement, a COMMIT. Its
connection is closed then, because the answer may still come; whether the statement was
done is unknown. A server that let us wait is left alone for a moment, so that requests
that queue behind the first ones are refused at once.
"""

import time
from typing import Any, TypeVar

import psycopg
from psycopg import (
    Binary,
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow

__all__ = [
    "Binary",
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "connect",
]

REST_SECONDS = 1.0
# How often psycopg looks whether the connection is still open while it waits.
_INTERVAL_SECONDS = 0.1

T = TypeVar("T")


class _Silence:
    """Whether the server has just let somebody of this process wait in vain."""

    def __init__(self) -> None:
        self._until = 0.0

    def noticed(self) -> None:
        self._until = time.monotonic() + REST_SECONDS

    @property
    def lasts(self) -> bool:
        return time.monotonic() < self._until


silence = _Silence()


class BoundedConnection(psycopg.Connection[TupleRow]):
    """A connection that gives up when the server does not answer."""

    answer_timeout: float | None = None

    def wait(
        self,
        gen: PQGen[T],
        interval: float = _INTERVAL_SECONDS,
        timeout: float | None = None,
    ) -> T:
        """OperationalError, and the connection is closed, when there is no answer."""
        limit = self.answer_timeout if timeout is None else timeout
        try:
            return super().wait(gen, interval, limit)
        except OperationalError as error:
            if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
                raise
            self.pgconn.finish()
            silence.noticed()
            raise OperationalError(
                f"the database did not answer within {limit} s"
            ) from error


# Any: whatever psycopg takes.
def connect(answer_timeout: float | str = 0, **parameters: Any) -> BoundedConnection:
    """A connection, as `psycopg.connect` makes it, with this bound; 0 is none."""
    if silence.lasts:
        raise OperationalError("the database did not answer a moment ago")
    try:
        connection = BoundedConnection.connect(**parameters)
    except psycopg.errors.ConnectionTimeout:
        silence.noticed()
        raise
    connection.answer_timeout = float(answer_timeout) or None
    return connection
