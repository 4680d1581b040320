"""The two SQL dialects: how a list of records travels into one statement.

Optimization: a batch of changes is one JSON parameter that the database unpacks, so
a statement costs the same round trip for one task and for fifty. A record that is alone
travels as plain values, which the database need not unpack.
"""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

# Column name → kind: uuid, text, int, bigint, bool, time, json.
Columns = Mapping[str, str]
Record = Mapping[str, object]
Parameter = str | int | list[str] | None

# Optimization: `json.dumps` makes an encoder each time it is asked for other than its
# defaults.
_json = json.JSONEncoder(allow_nan=False).encode


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """What differs between the databases; see `current`."""

    # Whether INSERT and UPDATE may stand in a WITH clause of one statement.
    writable_with: bool
    # Appended to a SELECT that picks rows for this transaction only.
    skip_locked: str
    # Appended to a SELECT of a row that must stay as it is until this commits.
    hold_row: str
    types: Mapping[str, str]

    def source(self, columns: Columns, *, single: bool) -> str:
        """A SELECT of typed columns that yields what `parameters` carries."""
        return self._row(columns) if single else self.recordset(columns)

    def parameters(
        self, records: Sequence[Record], columns: Columns, *, single: bool
    ) -> list[Parameter]:
        """The parameters of `source`; `single`: of the one record there is."""
        if not single:
            return [self.encode(records, columns)]
        picked = records[0].get
        return [self._value(kind, picked(name)) for name, kind in columns.items()]

    def _row(self, columns: Columns) -> str:
        if self.writable_with:
            typed = (f"%s::{self.types[k]} AS {n}" for n, k in columns.items())
            return f"SELECT {', '.join(typed)}"
        return f"SELECT {', '.join(f'%s AS {name}' for name in columns)}"

    def _value(self, kind: str, value: object) -> Parameter:
        """One value as a parameter of its own.

        Numbers as texts on PostgreSQL: psycopg would type them by their size, and each
        size would be a statement of its own to prepare.
        """
        if value is None or (type(value) is str and kind != "json"):
            return value
        if kind == "json":
            return _json(value)
        if isinstance(value, bool):
            return value
        if isinstance(value, int):
            return str(value) if self.writable_with else value
        return str(self.to_database(kind, value))

    def recordset(self, columns: Columns) -> str:
        """A SELECT with one `%s` (JSON array of records) yielding typed columns."""
        if self.writable_with:
            typed = ", ".join(f"{name} {self.types[k]}" for name, k in columns.items())
            return (
                f"SELECT {', '.join(columns)} "  # noqa: S608 - names are ours
                f"FROM jsonb_to_recordset(%s::jsonb) AS r({typed})"
            )
        picked = ", ".join(f"value->>'$.{name}' AS {name}" for name in columns)
        return f"SELECT {picked} FROM json_each(%s)"  # noqa: S608 - names are ours

    def encode(self, records: Iterable[Record], columns: Columns) -> str:
        """The JSON array for `recordset`; a missing key is NULL."""
        return _json(
            [
                {
                    name: self.to_database(kind, record.get(name))
                    for name, kind in columns.items()
                }
                for record in records
            ]
        )

    def to_database(self, kind: str, value: object) -> object:
        """One value as the JSON that the database turns into the column's type."""
        if value is None:
            return None
        if isinstance(value, datetime):
            if self.writable_with:
                return value.isoformat()
            return connection.ops.adapt_datetimefield_value(value)
        if isinstance(value, uuid.UUID):
            return str(value) if self.writable_with else value.hex
        if kind == "json" and not self.writable_with:
            return _json(value)
        return value

    def parameter(self, moment_or_id: datetime | uuid.UUID) -> str:
        """One value as a statement's own parameter, outside a recordset."""
        return str(self.to_database("", moment_or_id))

    def from_database(self, kind: str, value: object) -> object:
        """One raw cursor value as Python; the inverse of `to_database`."""
        if value is None:
            return None
        if kind == "json" and isinstance(value, str):
            return json.loads(value)
        if kind == "uuid" and isinstance(value, str):
            return uuid.UUID(value)
        if kind == "time":
            return _aware(value)
        return value

    def one_of(self, name: str, values: Sequence[str]) -> tuple[str, Parameter]:
        """`name` is one of `values`: SQL and its parameters."""
        if self.writable_with:
            return f"{name} = ANY(%s)", list(values)
        picked = "SELECT value FROM json_each(%s)"
        return f"{name} IN ({picked})", json.dumps(values)


POSTGRESQL = Dialect(
    writable_with=True,
    skip_locked=" FOR UPDATE SKIP LOCKED",
    hold_row=" FOR SHARE",
    types={
        "uuid": "uuid",
        "text": "text",
        "int": "integer",
        "bigint": "bigint",
        "bool": "boolean",
        "time": "timestamptz",
        "json": "jsonb",
    },
)
# SQLite has one writer: an IMMEDIATE transaction needs no row locks.
SQLITE = Dialect(
    writable_with=False,
    skip_locked="",
    hold_row="",
    types={"json": "text", "time": "text"},
)


def current() -> Dialect:
    """The dialect of the configured database."""
    return POSTGRESQL if connection.vendor == "postgresql" else SQLITE


def _aware(value: object) -> datetime:
    moment = (
        value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    )
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
