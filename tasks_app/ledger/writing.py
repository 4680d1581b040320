"""Writing tasks: the insert at submit, and the one UPDATE of everything after."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction

from tasks_app.changes import Change, Json, Logged, Outgoing, Snapshot
from tasks_app.ledger import columns, questions, statements
from tasks_app.ledger.dialect import Record, current
from tasks_app.ledger.statements import Following, Guarded, Insert
from tasks_app.models import Task

# Older callbacks that were not sent yet are not worth sending after the final one.
_SUPERSEDE = (
    f"UPDATE {columns.DELIVERY} AS d SET state = 'superseded', "  # noqa: S608 - names are ours
    "next_try_at = NULL, ended_at = e.ended_at FROM ({ended}) AS e "
    "WHERE d.kind = 'callback' AND d.state = 'waiting' AND d.terminal = {false} "
    "AND d.leased_until IS NULL "
    "AND d.task_id IN (SELECT id FROM moved) AND d.task_id = e.task_id"
)
_ENDED = {"task_id": "uuid", "ended_at": "time"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAttachment:
    """A stored file: one that a new task brings, or that a step (`position`) made."""

    id: uuid.UUID
    kind: str
    name: str
    content_type: str
    size: int
    sha256: str
    created_at: datetime
    # Where the bytes still have to be fetched from, and when the courier does.
    source_url: str = ""
    fetch_at: datetime | None = None
    fetch_tries: int = 0
    position: int | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The key that came with a submit, as its row knows it."""

    prefix: str
    hashed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """All that a submit writes."""

    task: Snapshot
    payload: Json
    message: Logged
    outgoing: Sequence[Outgoing]
    callback_token: str | None
    idempotency_key: str | None
    fingerprint: str
    retry_of_id: uuid.UUID | None
    attachments: Sequence[NewAttachment] = ()
    # Write only if its caller can use this key now.
    api_key: ApiKey | None = None


def insert(new: NewTask) -> bool:
    """Write a submitted task with its first message and files, in one transaction.

    False: nothing was written, because its caller already used the idempotency key, or
    can no longer use the API key.
    """
    record = _control(new.task) | {
        name: getattr(new.task, name) for name in columns.FIXED
    }
    record |= {
        "callback_events": list(new.task.callback_events) or None,
        "payload": new.payload,
        "callback_token": new.callback_token,
        "idempotency_key": new.idempotency_key,
        "fingerprint": new.fingerprint,
        "retry_of_id": new.retry_of_id,
    }
    dialect = current()
    parameters = dialect.parameters([record], columns.NEW_TASK, single=True)
    if new.api_key:
        parameters += [new.api_key.prefix, new.api_key.hashed]
    written = statements.run(
        Guarded(
            statements.insert_task_sql(dialect, keyed=new.api_key is not None),
            parameters,
        ),
        [
            Insert(
                columns.MESSAGE,
                columns.NEW_MESSAGE,
                [_row(new.task.id, new.message, columns.NEW_MESSAGE)],
            ),
            Insert(
                columns.DELIVERY,
                columns.NEW_DELIVERY,
                [_delivery(new.task.id, outgoing) for outgoing in new.outgoing],
            ),
            Insert(
                columns.ATTACHMENT,
                columns.NEW_ATTACHMENT,
                [_row(new.task.id, a, columns.NEW_ATTACHMENT) for a in new.attachments],
            ),
        ],
    )
    return bool(written)


def commit(changes: Sequence[Change]) -> set[uuid.UUID]:
    """Write each change whose task is still as it was seen; ids of those written.

    One transaction for all of them; on PostgreSQL one statement, unless a question
    opens or closes.
    """
    if not any(_asks(change) for change in changes):
        return _commit_tasks(changes)
    with transaction.atomic():
        written = _commit_tasks(changes)
        questions.write([change for change in changes if change.before.id in written])
        return written


def renew(task_id: uuid.UUID, attempt: int, until: datetime) -> bool:
    """Keep the lease of a live attempt; False when it is no longer its own."""
    dialect = current()
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {columns.TASK} SET leased_until = %s "  # noqa: S608 - names are ours
            "WHERE id = %s AND attempt = %s AND leased_until IS NOT NULL",
            [
                dialect.parameter(until),
                dialect.parameter(task_id),
                attempt,
            ],
        )
        return bool(cursor.rowcount)


def forget_key(task_id: uuid.UUID) -> None:
    """Set an idempotency key free: it has expired, and its caller uses it again (G12).

    The only write beside `commit` that no generation guards: nothing else reads it.
    """
    Task.objects.filter(pk=task_id).update(idempotency_key=None)


def _asks(change: Change) -> bool:
    at_the_desk = change.held or change.placed or change.cast or change.withdrawn
    return bool(
        change.opened or change.closed or at_the_desk or change.provided is not None
    )


def _commit_tasks(changes: Sequence[Change]) -> set[uuid.UUID]:
    dialect = current()
    single = len(changes) == 1
    records = [_update(change) for change in changes]
    parameters = dialect.parameters(records, columns.CHANGE, single=single)
    if dialect.writable_with and not single:
        parameters.append([str(change.before.id) for change in changes])
    guarded = Guarded(statements.update_sql(dialect, single=single), parameters)
    moved = statements.run(
        guarded,
        [
            Insert(columns.MESSAGE, columns.NEW_MESSAGE, _messages(changes)),
            Insert(columns.ATTEMPT, columns.NEW_ATTEMPT, _attempts(changes)),
            Insert(columns.DELIVERY, columns.NEW_DELIVERY, _deliveries(changes)),
        ],
        _supersede(changes),
    )
    return {uuid.UUID(id_) for id_ in moved}


def _supersede(changes: Iterable[Change]) -> Following | None:
    """For the tasks that end; their neighbours in a batch may go on."""
    ended = [change for change in changes if any(o.terminal for o in change.outgoing)]
    if not ended:
        return None
    dialect = current()
    records = [
        {"task_id": change.before.id, "ended_at": change.after.updated_at}
        for change in ended
    ]
    return Following(
        _SUPERSEDE.format(
            false="false" if dialect.writable_with else "0",
            ended=dialect.recordset(_ENDED),
        ),
        dialect.encode(records, _ENDED),
    )


def _control(task: Snapshot) -> dict[str, object]:
    return {name: getattr(task, name) for name in columns.CONTROL}


def _update(change: Change) -> Record:
    return _control(change.after) | {
        "task_id": change.before.id,
        "seen": change.before.generation,
        "result": change.result,
        "error": change.error,
    }


def _row(task_id: uuid.UUID, value: object, names: Mapping[str, str]) -> Record:
    """A dataclass as a record of the columns it shares names with."""
    fields = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return fields | {"task_id": task_id}


def _messages(changes: Iterable[Change]) -> list[Record]:
    return [
        _row(change.before.id, message, columns.NEW_MESSAGE)
        for change in changes
        for message in change.messages
    ]


def _attempts(changes: Iterable[Change]) -> list[Record]:
    return [
        _row(change.before.id, change.ended, columns.NEW_ATTEMPT)
        for change in changes
        if change.ended
    ]


def _deliveries(changes: Iterable[Change]) -> list[Record]:
    return [
        _delivery(change.before.id, outgoing)
        for change in changes
        for outgoing in change.outgoing
    ]


def _delivery(task_id: uuid.UUID, outgoing: Outgoing) -> Record:
    return {
        **_row(task_id, outgoing, columns.NEW_DELIVERY),
        "state": "waiting",
        "tries": 0,
        "schedule_from": 0,
        "next_try_at": outgoing.created_at,
    }
