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
from tasks_app.ledger.dialect import Columns, Dialect, Parameter, Record, current

# psycopg reads a statement anew each time when it has more than these.
_REMEMBERED_PARAMETERS = 50


@dataclass(frozen=True, slots=True)
class Insert:
    """Rows to add to a table for those tasks whose guarded statement took effect."""

    table: str
    columns: Columns
    records: Sequence[Record]


@dataclass(frozen=True, slots=True)
class Guarded:
    """A statement that returns the ids of the tasks it touched."""

    sql: str
    parameters: Sequence[Parameter]


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
    parameters = [*guarded.parameters]
    for number, insert in enumerate(inserts):
        fits = len(parameters) + len(insert.columns) <= _REMEMBERED_PARAMETERS
        single = len(insert.records) == 1 and fits
        parts.append(f"i{number} AS ({_insert_sql(dialect, insert, single=single)})")
        parameters += dialect.parameters(insert.records, insert.columns, single=single)
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
        cursor.execute(guarded.sql, guarded.parameters)
        moved = {str(row[0]) for row in cursor.fetchall()}
        if not moved:
            return moved
        ids = json.dumps(sorted(moved))
        with_moved = "WITH moved(id) AS (SELECT value FROM json_each(%s)) "
        for insert in inserts:
            single = len(insert.records) == 1
            given = dialect.parameters(insert.records, insert.columns, single=single)
            sql = with_moved + _insert_sql(dialect, insert, single=single)
            cursor.execute(sql, [ids, *given])
        if following:
            cursor.execute(with_moved + following.sql, [ids, following.parameter])
        return moved


def _insert_sql(dialect: Dialect, insert: Insert, *, single: bool) -> str:
    typed = tuple(insert.columns.items())
    return _insert_text(dialect, insert.table, typed, single=single)


@cache
def _insert_text(
    dialect: Dialect, table: str, typed: tuple[tuple[str, str], ...], *, single: bool
) -> str:
    names = ", ".join(name for name, _ in typed)
    source = dialect.source(dict(typed), single=single)
    return (
        f"INSERT INTO {table} ({names}) "  # noqa: S608 - names are ours
        f"SELECT {names} FROM ({source}) AS r "
        "WHERE task_id IN (SELECT id FROM moved)"
    )


@cache
def update_sql(dialect: Dialect, *, single: bool) -> str:
    """The one UPDATE that changes tasks: only where the generation is the one seen.

    Optimization: on PostgreSQL it takes the ids of many once more, as a list: the
    planner cannot see into the records and would scan the whole table for them.
    """
    wanted = ""
    if dialect.writable_with and not single:
        wanted = "t.id = ANY(%s::uuid[]) AND "
    sets = [f"{name} = c.{name}" for name in columns.CONTROL]
    sets += [f"{name} = COALESCE(c.{name}, t.{name})" for name in columns.VALUES]
    return (
        f"UPDATE {columns.TASK} AS t SET {', '.join(sets)} "  # noqa: S608 - names are ours
        f"FROM ({dialect.source(columns.CHANGE, single=single)}) AS c "
        f"WHERE {wanted}t.id = c.task_id AND t.generation = c.seen RETURNING id"
    )


_KEY_IS_GOOD = f"""EXISTS (
    SELECT 1 FROM {columns.API_KEY} AS k
    JOIN {columns.CALLER} AS c ON c.id = k.caller_id
    WHERE k.prefix = %s AND k.hashed_key = %s AND k.caller_id = r.caller_id
    AND NOT k.revoked AND c.enabled
    AND (k.expiry_date IS NULL OR k.expiry_date > r.created_at)
)"""  # noqa: S608 - names are ours


@cache
def insert_task_sql(dialect: Dialect, *, keyed: bool) -> str:
    """Insert a task, unless its requester already used its idempotency key or id.

    `keyed`: and only if the API key that follows is good, and its caller's.
    """
    names = ", ".join(columns.NEW_TASK)
    return (
        f"INSERT INTO {columns.TASK} ({names}) "  # noqa: S608 - names are ours
        # WHERE true: SQLite would read ON as a join condition.
        f"SELECT {names} FROM ({dialect.source(columns.NEW_TASK, single=True)}) AS r "
        f"WHERE {_KEY_IS_GOOD if keyed else 'true'} "
        "ON CONFLICT DO NOTHING RETURNING id"
    )
