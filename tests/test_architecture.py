"""What import contracts cannot say: who writes what, and that job names are real."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from synapse_site.celery import app
from tasks_app import queue
from tasks_app.ledger import columns
from tasks_app.models import Attempt, Delivery, Message, Task
from tests.row_writes import writes

ROOT = Path(__file__).parent.parent
SOURCES = ("agents_app", "tasks_app", "synapse_site")
WRITES_TASKS = re.compile(
    rf"(INSERT INTO|UPDATE|DELETE FROM)\s+{columns.TASK}\b", re.IGNORECASE
)


def _sources() -> Iterator[Path]:
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


@pytest.mark.parametrize(
    "text",
    [
        "Task.objects.filter(pk=1).update(state='x')",
        "Task(id=1).save()",
        "Task.objects.get(pk=1).delete()",
        "JournalEntry.objects.bulk_create([])",
        "HumanRequest.objects.all()[0].save(update_fields=['state'])",
        "holder = Task.objects.filter(pk=1)\nholder.filter(pk=2).update(x=1)",
        "def f():\n  a = Task.objects.first()\n  b = a\n  b.save()",
        "def f():\n  for row in Question.objects.all():\n    row.delete()",
        "[row.save() for row in Message.objects.all()]",
        "if found := Attempt.objects.first():\n  found.save()",
        "def f(task: Task):\n  task.save()",
        "def f(rows: 'QuerySet[Task]'):\n  rows.update(x=1)",
        "def mine():\n  return Task.objects.all()\nmine().update(x=1)",
        "def f(task: Task):\n  task.questions.update(x=1)",
    ],
)
def test_it_would_notice_a_write(text: str) -> None:
    assert writes(text)


@pytest.mark.parametrize(
    "text",
    [
        "Task.objects.filter(pk=1).exists()",
        "Caller.objects.create(name='x')",
        "def f(task: Task):\n  digest.update(task.payload)",
        "def f(one: Task):\n  pass\ndef g(one: dict):\n  one.update({})",
    ],
)
def test_it_takes_nothing_else_for_a_write(text: str) -> None:
    assert not writes(text)


# Where the bytes of a peer's file are, and when they are fetched: no state of a task.
FETCHING = {"tasks_app/fetching.py", "tasks_app/foreignfiles.py"}


def test_it_lets_only_the_ledger_write_its_rows() -> None:
    """House rule 1, for the ORM and for SQL."""
    texts = {p.relative_to(ROOT).as_posix(): p.read_text() for p in _sources()}
    writing = {
        name: writes(text) + WRITES_TASKS.findall(text) for name, text in texts.items()
    }
    writing = {name: found for name, found in writing.items() if found}
    inside = {name for name in writing if name.startswith("tasks_app/ledger/")}
    outside = writing.keys() - inside - FETCHING
    assert {name: writing[name] for name in outside} == {}
    assert len(inside) > 1, "the ledger does"


# Celery has Django check the models, and newer versions then ask the database.
@pytest.mark.django_db
def test_it_registers_every_job_that_the_queue_names() -> None:
    app.loader.import_default_modules()
    names = {queue.ADVANCE, queue.DELIVER, queue.SWEEP, queue.HEARTBEAT}
    names |= {queue.GREET, queue.FETCH}
    assert names <= set(app.tasks)


def test_it_has_beat_ring_for_the_sweep_and_for_heartbeats() -> None:
    jobs = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert {queue.SWEEP, queue.HEARTBEAT} <= jobs


def test_it_inserts_only_columns_that_exist() -> None:
    pairs = [
        (Task, columns.TASK, columns.NEW_TASK),
        (Message, columns.MESSAGE, columns.NEW_MESSAGE),
        (Attempt, columns.ATTEMPT, columns.NEW_ATTEMPT),
        (Delivery, columns.DELIVERY, columns.NEW_DELIVERY),
    ]
    for model, table, names in pairs:
        assert model._meta.db_table == table
        assert set(names) <= {field.column for field in model._meta.fields}


def test_it_writes_every_required_column_of_a_new_task() -> None:
    required = {
        field.column
        for field in Task._meta.fields
        if not field.null and not field.primary_key
    }
    assert required <= set(columns.NEW_TASK)
