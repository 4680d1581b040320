"""A database that is away for some of the statements."""

from contextlib import AbstractContextManager
from typing import Any

from django.db import OperationalError, connection


def away_for(part: str) -> AbstractContextManager[None]:
    """Every statement of this thread that holds `part` is cut off."""

    def cut(execute: Any, sql: str, *rest: Any) -> Any:
        if part in sql:
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, *rest)

    return connection.execute_wrapper(cut)
