"""SELECTs that are written once, for what every request and every poll reads.

Optimization: the ORM takes 0.2 to 0.3 ms to compose such a statement, several times as
long as all the rest of a status request.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from tasks_app.ledger.dialect import current

# Any: a row has columns of every type.
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """`columns` names each column as the row shows it, and its kind (ledger.dialect).

    `sql` is the whole statement, its columns in the same order.
    """

    columns: Mapping[str, str]
    sql: str

    def rows(self, *parameters: str | uuid.UUID) -> list[Row]:
        """All rows. Ids are given as UUIDs, whatever the database makes of them."""
        adapted = [_adapted(value) for value in parameters]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, adapted)
            found = cursor.fetchall()
        return [self._decoded(row) for row in found]

    def first(self, *parameters: str | uuid.UUID) -> Row | None:
        """The only row there can be, or none."""
        found = self.rows(*parameters)
        return found[0] if found else None

    def _decoded(self, values: Sequence[object]) -> Row:
        decode = current().from_database
        return {
            name: decode(kind, value)
            for (name, kind), value in zip(self.columns.items(), values, strict=True)
        }


def _adapted(value: str | uuid.UUID) -> str:
    if isinstance(value, str):
        return value
    return str(current().to_database("uuid", value))


def of_table(table: str, columns: Mapping[str, str], where: str) -> Select:
    """A SELECT of plain columns."""
    names = ", ".join(columns)
    sql = f"SELECT {names} FROM {table} WHERE {where}"  # noqa: S608 - names are ours
    return Select(columns=columns, sql=sql)
