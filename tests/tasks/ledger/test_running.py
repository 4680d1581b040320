"""Counting what runs, which each claim does."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app import ledger
from tasks_app.models import Task
from tests.factories import submitted
from tests.tasks.ledger.planning import begun

COPY = (
    "INSERT INTO tasks_app_task ({names}) SELECT {values} "
    "FROM (SELECT * FROM tasks_app_task LIMIT 1) AS t, generate_series(1, 5000)"
)


def _many_more() -> None:
    names = [field.column for field in Task._meta.concrete_fields]
    values = [{"id": "gen_random_uuid()"}.get(name, name) for name in names]
    with connection.cursor() as cursor:
        cursor.execute(COPY.format(names=", ".join(names), values=", ".join(values)))


def test_it_counts_live_attempts_by_type(caller):
    begun(submitted(caller))
    submitted(caller)
    assert ledger.running_by_type() == {"probe_echo": 1}


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite takes the index by the order"
)
def test_it_reads_no_more_than_the_live_ones_before_there_are_statistics(caller):
    """A first flood of submits must not slow down each claim until the next ANALYZE."""
    submitted(caller)
    _many_more()
    with CaptureQueriesContext(connection) as asked:
        ledger.running_by_type()
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {asked[0]['sql']}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "task_leased" in plan
