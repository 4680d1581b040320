"""One guarded statement and the inserts that depend on it.

PostgreSQL runs the whole as a single statement (a WITH clause of writes), so a change
is one round trip and one commit. SQLite runs the same parts one after the other in a
transaction; there a round trip costs nothing.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from django.db import connection, transaction

from tasks_app.ledger import columns
from tasks_app.ledger.dialect import Columns, Dialect, Record, current


@dataclass(frozen=True, slots=True)
class Insert:
    """Rows to add to a table for those tasks whose guarded statement took effect."""

    table: str
    columns: Columns
    records: Sequence[Record]
    # The column that names the task.
    key: str = "task_id"


@dataclass(frozen=True, slots=True)
class Guarded:
    """A statement that returns the ids of the tasks it touched."""

    sql: str
    parameter: str
    # Optimization: the ids once more, where the planner cannot see into the records and
    # would scan the whole table for them.
    ids: str | list[str] | None = None


@dataclass(frozen=True, slots=True)
class Following:
    """A further UPDATE; it may read `moved`, the ids that the guarded one touched."""

    sql: str
    parameter: str


def run(
    guarded: Guarded, inserts: Iterable[Insert], following: Following | None = None
) -> set[str]:
    """Run it all atomically; the ids (as the database spells them) that took effect."""
    dialect = current()
    filled = [insert for insert in inserts if insert.records]
    if dialect.writable_with:
        return _run_as_one(dialect, guarded, filled, following)
    with transaction.atomic():
        return _run_in_turn(dialect, guarded, filled, following)


def _run_as_one(
    dialect: Dialect,
    guarded: Guarded,
    inserts: Sequence[Insert],
    following: Following | None,
) -> set[str]:
    parts = [f"moved AS ({guarded.sql})"]
    parameters: list[str | list[str]] = [guarded.parameter]
    if guarded.ids is not None:
        parameters.append(guarded.ids)
    for number, insert in enumerate(inserts):
        parts.append(f"i{number} AS ({_insert_sql(dialect, insert)})")
        parameters.append(dialect.encode(insert.records, insert.columns))
    if following:
        parts.append(f"following AS ({following.sql})")
        parameters.append(following.parameter)
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH {', '.join(parts)} SELECT id FROM moved",  # noqa: S608 - names are ours
            parameters,
        )
        return {str(row[0]) for row in cursor.fetchall()}


def _run_in_turn(
    dialect: Dialect,
    guarded: Guarded,
    inserts: Sequence[Insert],
    following: Following | None,
) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(guarded.sql, [guarded.parameter])
        moved = {str(row[0]) for row in cursor.fetchall()}
        if not moved:
            return moved
        ids = json.dumps(sorted(moved))
        with_moved = "WITH moved(id) AS (SELECT value FROM json_each(%s)) "
        for insert in inserts:
            cursor.execute(
                with_moved + _insert_sql(dialect, insert),
                [ids, dialect.encode(insert.records, insert.columns)],
            )
        if following:
            cursor.execute(with_moved + following.sql, [ids, following.parameter])
        return moved


def _insert_sql(dialect: Dialect, insert: Insert) -> str:
    names = ", ".join(insert.columns)
    return (
        f"INSERT INTO {insert.table} ({names}) "  # noqa: S608 - names are ours
        f"SELECT {names} FROM ({dialect.recordset(insert.columns)}) AS r "
        f"WHERE {insert.key} IN (SELECT id FROM moved)"
    )


@cache
def update_sql(dialect: Dialect, *, single: bool) -> str:
    """The one UPDATE that changes tasks: only where the generation is the one seen.

    On PostgreSQL it takes the ids besides; the plan for a single one is a plan of its
    own, which is used again and again.
    """
    wanted = ""
    if dialect.writable_with:
        wanted = "t.id = %s::uuid AND " if single else "t.id = ANY(%s::uuid[]) AND "
    sets = [f"{name} = c.{name}" for name in columns.CONTROL]
    sets += [f"{name} = COALESCE(c.{name}, t.{name})" for name in columns.VALUES]
    return (
        f"UPDATE {columns.TASK} AS t SET {', '.join(sets)} "  # noqa: S608 - names are ours
        f"FROM ({dialect.recordset(columns.CHANGE)}) AS c "
        f"WHERE {wanted}t.id = c.task_id AND t.generation = c.seen RETURNING id"
    )


@cache
def insert_task_sql(dialect: Dialect) -> str:
    """Insert tasks, but none whose idempotency key or id its requester already used."""
    names = ", ".join(columns.NEW_TASK)
    return (
        f"INSERT INTO {columns.TASK} ({names}) "  # noqa: S608 - names are ours
        # WHERE true: SQLite would read ON as a join condition.
        f"SELECT {names} FROM ({dialect.recordset(columns.NEW_TASK)}) AS r WHERE true "
        "ON CONFLICT DO NOTHING RETURNING id"
    )
