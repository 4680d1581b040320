"""A database that is away for a moment costs no work, and nothing is written twice.

`cut` loses a connection: before the write, or after it, when only the answer is lost.
"""

import sys
from collections import Counter

import psycopg
import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from agents_app.host import StopReason
from agents_app.protocol.states import TaskState
from tasks_app import ledger, lifecycle, runner
from tasks_app.models import Attachment, JournalEntry, Task
from tasks_app.runner import luggage, slot
from tasks_app.runner.keeper import Keeper
from tests.factories import log, row, set_row, submitted

pytestmark = pytest.mark.django_db(transaction=True)

arrives = pytest.mark.parametrize(
    "arrives", [pytest.param(True, id="answer"), pytest.param(False, id="write")]
)


@pytest.fixture
def cut(monkeypatch):
    """From now on the next call of this function of the ledger is cut off."""

    def once(name, arrives, home=ledger):
        real, left = getattr(home, name), [True]

        def cut_off(*words, **named):
            if not left:
                return real(*words, **named)
            left.pop()
            if arrives:
                real(*words, **named)
            raise OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(home, name, cut_off)

    return once


def attempts(task):
    return Counter(row(task).attempts.values_list("outcome", flat=True))


@arrives
def test_it_keeps_a_result(run, declare, cut, bells, arrives):
    def handler(ctx):
        cut("commit", arrives)
        return {"done": True}

    declare(handler)
    task = run(callback_url="https://example.com/hook")
    assert row(task).result == {"done": True}
    assert attempts(task) == {"completed": 1}
    assert Counter(log(task))["task_complete"] == 1
    assert bells[-1][0] == "synapse.deliver"


@arrives
def test_it_keeps_the_results_of_a_batch(caller, declare, cut, fresh_pace, arrives):
    def handler(ctx):
        if ctx.payload.n == 2:
            cut("commit", arrives)
        return {"n": ctx.payload.n}

    declare(handler)
    fresh_pace.learn("test_type", 0.1)
    tasks = [submitted(caller, "test_type", payload={"n": n}) for n in range(3)]
    runner.drain("default")
    assert [row(task).result for task in tasks] == [{"n": n} for n in range(3)]
    assert all(attempts(task) == {"completed": 1} for task in tasks)


@arrives
def test_it_keeps_a_step_and_does_it_once(run, declare, cut, arrives):
    effects = []

    def handler(ctx):
        cut("record_step", arrives)
        return {"it": ctx.step("add", lambda: effects.append(1) or len(effects))}

    declare(handler)
    task = run()
    assert row(task).result == {"it": 1}
    assert JournalEntry.objects.get().value == 1
    assert attempts(task) == {"completed": 1}


@arrives
def test_it_keeps_a_file(run, declare, cut, arrives):
    def handler(ctx):
        cut("attach", arrives)
        return {"it": ctx.attach("a.txt", b"x", "text/plain")}

    declare(handler)
    task = run()
    assert row(task).result == {"it": str(Attachment.objects.get().pk)}


@arrives
def test_it_keeps_progress(run, declare, cut, arrives):
    def handler(ctx):
        cut("commit", arrives)
        ctx.progress(40, "half")
        return {}

    declare(handler)
    task = run()
    assert attempts(task) == {"completed": 1}
    said = row(task).messages.filter(payload__progress=40)
    assert said.count() == 1


@arrives
def test_it_asks_once(run, declare, cut, arrives):
    def handler(ctx):
        cut("commit", arrives)
        ctx.need_info(["colour"], "Which?")

    declare(handler)
    task = run()
    assert row(task).state == TaskState.INFO_NEEDED
    assert row(task).questions.count() == 1


@pytest.mark.parametrize("reading", ["pack", "results"])
def test_it_reads_again_what_an_attempt_needs(run, declare, cut, reading):
    cut(reading, arrives=False, home=luggage)
    declare(lambda ctx: {"done": True})
    task = run()
    assert row(task).result == {"done": True}
    assert attempts(task) == {"completed": 1}


def test_it_takes_a_write_of_somebody_else_for_no_write_of_its_own(run, declare, cut):
    def handler(ctx):
        task = ledger.load(Task.objects.get(pk=ctx.task_id).pk)
        cut("commit", arrives=False)
        set_row(task, attempt=7, generation=task.generation + 2)
        return {"by": "zombie"}

    declare(handler)
    assert row(run()).result is None


def test_it_stops_waiting_when_the_task_was_cancelled(run, declare, monkeypatch):
    """As every call of a handler does."""
    tries = []

    def handler(ctx):
        (held,) = runner.keeper._held

        def away(**_):
            tries.append(1)
            lifecycle.cancel(held.task.id, by="caller:1")
            held.stop(StopReason.CANCELLED)
            raise OperationalError

        monkeypatch.setattr(ledger, "record_step", away)
        ctx.step("add", lambda: 1)

    declare(handler)
    task = run()
    assert tries == [1]
    assert row(task).state == TaskState.CANCELLED


def test_it_gives_up_when_a_lease_is_over(run, declare, cut, settings):
    settings.SYNAPSE_LEASE_SECONDS = 0
    declare(lambda ctx: cut("commit", arrives=False) or {})
    with pytest.raises(OperationalError):
        run()
    assert runner.keeper._held == []


def test_it_runs_at_once_what_it_claimed_when_the_answer_was_lost(
    run, declare, monkeypatch
):
    """Nobody else would, until the lease is over."""
    real, left = connection._commit, [True]

    def commit():
        real()
        if left and Task.objects.filter(leased_until__isnull=False).exists():
            left.pop()
            raise OperationalError("server closed the connection unexpectedly")

    declare(lambda ctx: {"done": True})
    monkeypatch.setattr(connection, "_commit", commit)
    task = run()
    assert not left
    assert row(task).result == {"done": True}
    assert attempts(task) == {"completed": 1}


def test_it_keeps_what_it_could_not_hand_back(caller, monkeypatch, cut):
    """The slot runs it, if it comes to it before the database is back."""
    keeper = Keeper()
    monkeypatch.setattr(keeper, "_run", lambda: None)
    (held,) = _claimed(caller)
    keeper.take([held])
    cut("commit", arrives=False)
    with pytest.raises(OperationalError):
        keeper._hand_back_the_rest([held])
    assert keeper.start(held)


def test_it_stops_what_runs_too_long_also_while_the_database_is_away(
    caller, monkeypatch
):
    (held,) = _claimed(caller)
    held.deadline = timezone.now()
    monkeypatch.setattr(sys.modules[Keeper.__module__], "_renew_or_stop", _raise_away)
    with pytest.raises(OperationalError):
        Keeper()._look([held])
    assert held.reason is StopReason.OVERTIME


def _raise_away(held):
    raise OperationalError


def _claimed(caller):
    submitted(caller)
    held = [job.held for job in slot._claim("default", wake=False)]
    return runner.keeper.drop(held)


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has no connections to cut"
)
class TestTerminated:
    """The real thing: the backend of the slot's connection is ended."""

    @pytest.mark.parametrize(
        "call",
        [
            pytest.param(lambda ctx: None, id="result"),
            pytest.param(lambda ctx: ctx.progress(50), id="progress"),
            pytest.param(lambda ctx: ctx.step("s", lambda: 1), id="step"),
            pytest.param(lambda ctx: ctx.attach("a", b"x", "text/plain"), id="attach"),
        ],
    )
    def test_it_goes_on_with_another_connection(self, run, declare, call):
        def handler(ctx):
            terminate(connection)
            call(ctx)
            terminate(connection)
            return {"done": True}

        declare(handler)
        task = run()
        assert row(task).result == {"done": True}
        assert attempts(task) == {"completed": 1}


def terminate(victim):
    """End its server process, as a restart of the server would."""
    victim.ensure_connection()
    pid = victim.connection.info.backend_pid
    settings = victim.get_connection_params()
    names = ("host", "port", "user", "password", "dbname")
    where = {name: settings[name] for name in names if name in settings}
    with psycopg.connect(**where, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
