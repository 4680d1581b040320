"""Reading tasks: snapshots, the head of the queue, what the sweep must heal."""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db import connection

from agents_app.protocol.states import TaskState
from tasks_app.changes import Change, Json, Snapshot
from tasks_app.ledger import columns
from tasks_app.ledger.dialect import Parameter, current

_NAMES = ", ".join(columns.SNAPSHOT)
_KINDS = tuple(columns.SNAPSHOT.values())
_FIELDS = tuple(columns.SNAPSHOT)
# Which claims may pass the limits is counted by one claimant at a time.
_CLAIM_LOCK = 0x53594E41


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready task at the head of the queue, with what its handler gets."""

    task: Snapshot
    payload: Json


def load(task_id: uuid.UUID) -> Snapshot | None:
    """The task as it stands, or None."""
    found = _select("id = %s", [current().parameter(task_id)])
    return found[0] if found else None


def arrived(changes: Iterable[Change]) -> set[uuid.UUID]:
    """Tasks whose change is there, by the message that it logged: our own write.

    For a commit whose answer was lost.
    """
    return {change.before.id for change in changes if _is_logged(change)}


def _is_logged(change: Change) -> bool:
    if not change.messages:
        return False
    last = change.messages[-1]
    rows = _fetch(
        f"SELECT 1 FROM {columns.MESSAGE} "  # noqa: S608 - names are ours
        "WHERE task_id = %s AND generation = %s AND message_id = %s",
        [current().parameter(change.before.id), last.generation, last.message_id],
    )
    return bool(rows)


def first_under(caller_id: uuid.UUID, key: str | None) -> tuple[Snapshot, str] | None:
    """The task that holds an idempotency key of its caller, and its fingerprint."""
    rows = _fetch(
        f"SELECT {_NAMES}, fingerprint FROM {columns.TASK} "  # noqa: S608 - names are ours
        "WHERE caller_id = %s AND idempotency_key = %s",
        [current().parameter(caller_id), key or ""],
    )
    return (_snapshot(rows[0]), str(rows[0][-1])) if rows else None


def candidates(
    lane: str, types: Sequence[str], *, now: datetime, limit: int
) -> list[Candidate]:
    """The next ready tasks of these types, most urgent first.

    Inside a transaction on PostgreSQL they are locked for it, and rows that another
    worker has locked are passed over.
    """
    dialect = current()
    of_types, wanted = dialect.one_of("task_type", types)
    rows = _fetch(
        f"SELECT {_NAMES}, payload FROM {columns.TASK} "  # noqa: S608 - names are ours
        f"WHERE lane = %s AND queue_key IS NOT NULL AND ready_at <= %s AND {of_types} "
        f"ORDER BY queue_key LIMIT %s{dialect.skip_locked}",
        [lane, dialect.parameter(now), wanted, limit],
    )
    return [
        Candidate(_snapshot(row), cast(Json, dialect.from_database("json", row[-1])))
        for row in rows
    ]


def hold_claims() -> None:
    """Let one transaction at a time count running tasks and claim more.

    SQLite needs nothing: its transactions are IMMEDIATE, so one at a time anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CLAIM_LOCK])


def running_by_type() -> Counter[str]:
    """How many attempts are live, by task type."""
    rows = _fetch(
        # Optimization: ordered, so that PostgreSQL walks the index and forgets its dead
        # entries on the way; counted by the database it would meet them every time. And
        # between two moments, not just no NULL: with no statistics yet, as after the
        # first thousands of submits, it takes the latter for most of the table and
        # reads all of it, at each claim.
        f"SELECT task_type FROM {columns.TASK} "  # noqa: S608 - names are ours
        "WHERE leased_until BETWEEN '0001-01-01' AND '9999-12-31' "
        "ORDER BY leased_until",
        [],
    )
    return Counter(str(row[0]) for row in rows)


def expired_leases(now: datetime, limit: int) -> list[Snapshot]:
    """Tasks whose worker stopped renewing its lease."""
    return _select(
        "leased_until <= %s ORDER BY leased_until LIMIT %s",
        [current().parameter(now), limit],
    )


def overdue(now: datetime, limit: int) -> list[Snapshot]:
    """Tasks whose current state has lasted too long (G10)."""
    return _select(
        "due_at <= %s ORDER BY due_at LIMIT %s", [current().parameter(now), limit]
    )


def waiting_lanes(now: datetime) -> list[str]:
    """Lanes with ready work: their bells may have been lost."""
    rows = _fetch(
        f"SELECT DISTINCT lane FROM {columns.TASK} "  # noqa: S608 - names are ours
        "WHERE queue_key IS NOT NULL AND ready_at <= %s",
        [current().parameter(now)],
    )
    return [str(row[0]) for row in rows]


def _select(where: str, parameters: Sequence[Parameter]) -> list[Snapshot]:
    rows = _fetch(
        f"SELECT {_NAMES} FROM {columns.TASK} WHERE {where}",  # noqa: S608 - names are ours
        parameters,
    )
    return [_snapshot(row) for row in rows]


def _fetch(sql: str, parameters: Sequence[Parameter]) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cast(list[tuple[object, ...]], cursor.fetchall())


def _snapshot(row: Sequence[object]) -> Snapshot:
    decode = current().from_database
    values = {
        name: decode(kind, value)
        for name, kind, value in zip(_FIELDS, _KINDS, row, strict=False)
    }
    values["state"] = TaskState(cast(str, values["state"]))
    values["callback_events"] = tuple(cast(list[str], values["callback_events"] or ()))
    return Snapshot(**values)  # type: ignore[arg-type] # by the column kinds above
