"""One conditional write: all of a change, or nothing of it."""

import pytest
from django.db import IntegrityError

from agents_app.protocol.states import TaskState
from tasks_app import ledger
from tasks_app.models import Delivery, Message, Question
from tests.factories import events, log, row, submitted
from tests.tasks.ledger.planning import ask, begin, begun, complete, fail, report
from tests.tasks.racing import race

HOOK = {"callback_url": "https://example.com/hook"}


def waiting_events(task):
    waiting = row(task).deliveries.filter(state="waiting").order_by("sequence")
    return list(waiting.values_list("event", flat=True))


def test_it_writes_the_row_and_all_that_depends_on_it(caller):
    task = begun(submitted(caller, **HOOK))
    assert ledger.commit([complete(task, {"answer": 42})]) == {task.id}
    assert row(task).state == TaskState.COMPLETED
    assert row(task).result == {"answer": 42}
    assert log(task)[-2:] == ["task_complete", "task_ack"]
    assert row(task).attempts.get().outcome == "completed"
    assert events(task) == ["processing", "completed"]


def test_it_writes_nothing_of_a_change_that_comes_late(caller):
    """G03: the loser leaves no message, no attempt, no callback, no result."""
    task = begun(submitted(caller, **HOOK))
    late = complete(task, {"answer": 42})
    ledger.commit([fail(task)])
    counts = [Message.objects.count(), Delivery.objects.count()]
    assert ledger.commit([late]) == set()
    assert [Message.objects.count(), Delivery.objects.count()] == counts
    assert row(task).result is None
    assert [a.outcome for a in row(task).attempts.all()] == ["failed"]


def test_it_opens_no_question_for_a_change_that_comes_late(caller):
    task = begun(submitted(caller))
    late = ask(task)
    ledger.commit([report(task)])
    assert ledger.commit([late]) == set()
    assert not Question.objects.exists()


def test_it_writes_the_others_of_a_batch_when_one_loses(caller):
    tasks = [begun(submitted(caller, **HOOK)) for _ in range(3)]
    batch = [complete(task, {"n": n}) for n, task in enumerate(tasks)]
    ledger.commit([report(tasks[1])])
    assert ledger.commit(batch) == {tasks[0].id, tasks[2].id}
    assert [row(task).result for task in tasks] == [{"n": 0}, None, {"n": 2}]
    assert "task_complete" not in log(tasks[1])
    assert events(tasks[1]) == ["processing"]


def test_it_opens_questions_for_the_winners_of_a_batch_only(caller):
    tasks = [begun(submitted(caller)) for _ in range(3)]
    batch = [ask(tasks[0]), complete(tasks[1]), ask(tasks[2])]
    ledger.commit([report(tasks[2])])
    assert ledger.commit(batch) == {tasks[0].id, tasks[1].id}
    assert [q.task_id for q in Question.objects.all()] == [tasks[0].id]


def test_it_supersedes_older_callbacks_by_the_final_one(caller):
    """G22: nothing older is sent after the end."""
    task = begun(submitted(caller, **HOOK))
    ledger.commit([complete(task)])
    assert waiting_events(task) == ["completed"]
    older = row(task).deliveries.get(event="processing")
    assert (older.state, older.next_try_at) == ("superseded", None)
    assert older.ended_at == row(task).completed_at


def test_it_leaves_the_callbacks_of_batch_neighbours_that_go_on(caller):
    """Only an end supersedes, and only those of its own task."""
    ending, asking = (begun(submitted(caller, **HOOK)) for _ in range(2))
    ledger.commit([complete(ending), ask(asking)])
    assert waiting_events(ending) == ["completed"]
    assert waiting_events(asking) == ["processing", "info_needed"]


def test_it_does_not_supersede_what_is_being_sent(caller):
    task = begun(submitted(caller, **HOOK))
    row(task).deliveries.update(leased_until=task.due_at)
    ledger.commit([complete(task)])
    assert waiting_events(task) == ["processing", "completed"]


def test_it_keeps_a_result_that_no_later_change_brings_anew(caller):
    """Decisions 52: values are written only where a change has one."""
    task = begun(submitted(caller))
    row_ = type(row(task)).objects.filter(pk=task.id)
    row_.update(result={"partial": 1})
    ledger.commit([fail(task)])
    assert row(task).result == {"partial": 1}
    assert row(task).error["code"] == 2006


@pytest.mark.django_db(transaction=True)
def test_it_lets_one_of_two_simultaneous_writers_win(caller):
    """G03."""
    task = begun(submitted(caller))
    won = race(
        lambda: ledger.commit([complete(task, {"by": "a"})]),
        lambda: ledger.commit([fail(task)]),
    )
    assert sorted(map(len, won)) == [0, 1]
    assert len(log(task)) == len(set(row(task).messages.values_list("generation")))


@pytest.mark.django_db(transaction=True)
def test_it_writes_the_whole_or_nothing_when_the_database_refuses(caller):
    task = begun(submitted(caller))
    change = complete(task)
    twice = type(change)(
        before=change.before,
        after=change.after,
        messages=(change.messages[0], change.messages[0]),
    )
    with pytest.raises(IntegrityError):
        ledger.commit([twice])
    assert row(task).state == TaskState.EXECUTING


def test_it_claims_a_task_once(caller):
    """G02: two workers that saw the same row."""
    task = submitted(caller)
    assert ledger.commit([begin(task)]) == {task.id}
    assert ledger.commit([begin(task)]) == set()
    assert row(task).attempt == 1
