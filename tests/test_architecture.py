"""What import contracts cannot say: who writes what, and that job names are real."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from synapse_site.celery import app
from tasks_app import queue
from tasks_app.ledger import columns
from tasks_app.models import Attempt, Delivery, Message, Task

ROOT = Path(__file__).parent.parent
SOURCES = ("agents_app", "tasks_app", "synapse_site")
# Managers' verbs that write rows.
WRITES = {"create", "bulk_create", "update", "bulk_update", "update_or_create", "save"}

WRITES_TASKS = re.compile(
    rf"(INSERT INTO|UPDATE|DELETE FROM)\s+{columns.TASK}\b", re.IGNORECASE
)


def _calls(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield node


def _sources() -> Iterator[Path]:
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def _writers_of(model: str) -> set[str]:
    """Files in which a chain that starts at `model.objects` ends in a write."""
    found = set()
    for path in _sources():
        for call in _calls(path):
            chain = ast.unparse(call.func)
            verb = chain.rpartition(".")[2]
            if chain.startswith(f"{model}.objects") and verb in WRITES:
                found.add(path.relative_to(ROOT).as_posix())
    return found


def test_it_lets_only_the_ledger_write_tasks() -> None:
    assert _writers_of("Task") == set()
    texts = {p.relative_to(ROOT).as_posix(): p.read_text() for p in _sources()}
    writing = {name for name, text in texts.items() if WRITES_TASKS.search(text)}
    outside = {name for name in writing if not name.startswith("tasks_app/ledger/")}
    assert outside == set()


def test_it_lets_only_the_ledger_write_the_message_log() -> None:
    assert _writers_of("Message") == set()


def test_it_lets_only_the_ledger_write_questions() -> None:
    assert _writers_of("Question") <= {"tasks_app/ledger/questions.py"}


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
