"""How few statements and commits a task costs, and that none saves a whole row."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents_app.protocol.states import TaskState
from tasks_app import lifecycle, runner
from tests.factories import row, submission, submitted

pytestmark = pytest.mark.django_db(transaction=True)

WRITE = re.compile(r'\b(INSERT INTO|UPDATE|DELETE FROM) "?tasks_app_')
SET = re.compile(
    r'UPDATE "?tasks_app_task"?[^;]*?\bSET\b(.*?)(?:\bFROM\b|\bWHERE\b)', re.S
)


def statements(run):
    with CaptureQueriesContext(
        connection,
    ) as captured:
        run()
    return [query["sql"] for query in captured.captured_queries]


def commits(run):
    """Transactions that wrote something: each is one wait for the disk."""
    count, inside, wrote = 0, False, False
    for sql in statements(run):
        if sql.startswith("BEGIN"):
            inside, wrote = True, False
        elif sql.startswith("COMMIT"):
            count, inside = count + wrote, False
        elif WRITE.search(sql):
            wrote = True
            count += not inside
    return count


def run_all():
    runner.drain("default")


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has no writes in a WITH clause"
)
@pytest.mark.parametrize("fields", [{}, {"idempotency_key": "k"}])
def test_it_submits_in_one_statement(caller, fields):
    wanted = submission(caller, **fields)
    assert len(statements(lambda: lifecycle.submit(wanted))) == 1


def test_it_submits_in_one_commit(caller):
    wanted = submission(caller)
    assert commits(lambda: lifecycle.submit(wanted)) == 1


def test_it_runs_a_task_in_two_commits(caller):
    """One to claim, one to settle; the budget is three."""
    task = submitted(caller)
    assert commits(run_all) == 2
    assert row(task).state == TaskState.COMPLETED


def test_it_runs_a_batch_in_as_many_commits_as_one_task(caller, fresh_pace, settings):
    """Performance lever 1; in a minute of budget any machine is quick enough."""
    settings.SYNAPSE_BATCH_MILLISECONDS = fresh_pace.budget_ms = 60_000
    fresh_pace.learn("probe_echo", 0.1)
    tasks = [submitted(caller) for _ in range(10)]
    assert commits(run_all) == 2
    assert {row(task).state for task in tasks} == {TaskState.COMPLETED}


def test_it_names_the_columns_that_it_writes(caller, olga):
    """Rule 2 of the house: no whole-row saves, so no lost updates."""
    asked = submitted(caller, "probe_need_info")
    submitted(caller, "probe_need_human")
    submitted(caller, "probe_fail")

    def live():
        run_all()
        lifecycle.cancel(asked.id, by="caller:x")

    written = [SET.search(sql) for sql in statements(live)]
    clauses = [found.group(1) for found in written if found]
    assert len(clauses) >= 5
    fixed = r"\b(payload|caller_id|task_type|callback_url|fingerprint|created_at)\b"
    assert not [clause for clause in clauses if re.search(fixed, clause)]
