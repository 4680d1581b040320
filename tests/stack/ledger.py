"""What the rows say, read with plain SQL past the product, on either database."""

import json
import sqlite3
import uuid
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    id: str
    state: str
    attempt: int
    callback_url: str | None
    error: Any


@dataclass(frozen=True, kw_only=True)
class AttemptRow:
    task_id: str
    number: int
    worker: str
    started_at: datetime
    ended_at: datetime
    outcome: str


@dataclass(frozen=True, kw_only=True)
class MessageRow:
    task_id: str
    generation: int
    type: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class WireRow:
    """A message that travelled between two agents, as one of them logged it."""

    message_id: str
    type: str
    in_reply_to: str | None
    payload: Any


@dataclass(frozen=True, kw_only=True)
class DeliveryRow:
    task_id: str
    sequence: int
    event: str
    terminal: bool
    state: str
    tries: int


class Ledger:
    """Reads one stack's database: a PostgreSQL URL or a SQLite file."""

    def __init__(self, source: str | Path) -> None:
        self._source = source

    def tasks(self) -> list[TaskRow]:
        rows = self._read(
            "SELECT id, state, attempt, callback_url, error FROM tasks_app_task"
        )
        return [
            TaskRow(
                id=_id(id_),
                state=state,
                attempt=attempt,
                callback_url=url,
                error=_json(error),
            )
            for id_, state, attempt, url, error in rows
        ]

    def task(self, task_id: str) -> TaskRow:
        return next(task for task in self.tasks() if task.id == task_id)

    def attempts(self, task_id: str | None = None) -> list[AttemptRow]:
        """Attempts that ended, by number."""
        rows = self._read(
            "SELECT task_id, number, worker, started_at, ended_at, outcome "
            "FROM tasks_app_attempt ORDER BY number"
        )
        found = [
            AttemptRow(
                task_id=_id(id_),
                number=number,
                worker=worker,
                started_at=_time(started_at),
                ended_at=_time(ended_at),
                outcome=outcome,
            )
            for id_, number, worker, started_at, ended_at, outcome in rows
        ]
        return [row for row in found if task_id in (None, row.task_id)]

    def messages(self, task_id: str | None = None) -> list[MessageRow]:
        """The message log, in order."""
        rows = self._read(
            "SELECT task_id, generation, type, created_at FROM tasks_app_message "
            "ORDER BY generation"
        )
        found = [
            MessageRow(
                task_id=_id(id_), generation=number, type=kind, created_at=_time(at)
            )
            for id_, number, kind, at in rows
        ]
        return [row for row in found if task_id in (None, row.task_id)]

    def wire(self, task_id: str, peer: str) -> dict[str, WireRow]:
        """By id, what was said about the task to the agent at this address or by it."""
        rows = self._read(
            "SELECT task_id, sender, recipient, message_id, type, in_reply_to, payload "
            "FROM tasks_app_message ORDER BY generation"
        )
        return {
            message_id: WireRow(
                message_id=message_id,
                type=kind,
                in_reply_to=about,
                payload=_json(payload),
            )
            for id_, sender, recipient, message_id, kind, about, payload in rows
            if _id(id_) == task_id and peer in (sender, recipient)
        }

    def tasks_of(self, requester: str) -> dict[str, TaskRow]:
        """By the id that this agent gave them, the tasks that it asked for."""
        rows = self._read(
            "SELECT requester, requester_task_id, id FROM tasks_app_task "
            "WHERE requester_task_id IS NOT NULL"
        )
        tasks = {task.id: task for task in self.tasks()}
        return {
            theirs: tasks[_id(ours)]
            for asker, theirs, ours in rows
            if asker == requester and _id(ours) in tasks
        }

    def unsent(self) -> list[str]:
        """Types of messages about tasks that still have to reach an agent."""
        rows = self._read(
            "SELECT event FROM tasks_app_delivery WHERE kind = 'message' "
            "AND state = 'waiting' AND task_id IS NOT NULL"
        )
        return [event for (event,) in rows]

    def undelivered(self) -> set[str]:
        """Ids of messages about tasks that were refused, given up or withdrawn."""
        rows = self._read(
            "SELECT id FROM tasks_app_delivery WHERE kind = 'message' "
            "AND state IN ('dead', 'superseded') AND task_id IS NOT NULL"
        )
        return {_id(id_) for (id_,) in rows}

    def deliveries(self, task_id: str | None = None) -> list[DeliveryRow]:
        """The callbacks in the outbox, in order."""
        rows = self._read(
            "SELECT task_id, sequence, event, terminal, state, tries "
            "FROM tasks_app_delivery WHERE kind = 'callback' ORDER BY sequence"
        )
        found = [
            DeliveryRow(
                task_id=_id(id_),
                sequence=sequence,
                event=event,
                terminal=bool(terminal),
                state=state,
                tries=tries,
            )
            for id_, sequence, event, terminal, state, tries in rows
        ]
        return [row for row in found if task_id in (None, row.task_id)]

    def _read(self, sql: str) -> Sequence[Sequence[Any]]:
        """Any: a cell may be whatever its column holds."""
        if isinstance(self._source, str):
            with psycopg.connect(self._source) as connection:
                return connection.execute(sql.encode()).fetchall()
        source = f"file:{self._source}?mode=ro"
        with closing(sqlite3.connect(source, uri=True, timeout=10)) as connection:
            return connection.execute(sql).fetchall()


def _id(value: str | uuid.UUID) -> str:
    return str(value if isinstance(value, uuid.UUID) else uuid.UUID(value))


def _json(value: Any) -> Any:
    """SQLite keeps it as text."""
    return json.loads(value) if isinstance(value, str) else value


def _time(value: str | datetime) -> datetime:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
