"""G75: two sweeps do nothing twice; one broken task does not stop the others."""

import pytest

from tasks_app import desk, lifecycle
from tasks_app import sweep as sweeping
from tasks_app.models import Task
from tasks_app.sweep import sweep
from tests.factories import events, log, open_question, row, submitted
from tests.tasks.ledger.planning import begun
from tests.tasks.racing import race
from tests.tasks.sweep.aging import HOOK, die, overdue, parked


def test_it_heals_the_others_when_one_cannot_be_healed(caller, monkeypatch, caplog):
    broken, well = (begun(submitted(caller)) for _ in range(2))
    die(broken)
    die(well)
    lost = sweeping.outcomes.lost

    def failing(task, **how):
        if task.id == broken.id:
            raise RuntimeError("broken")
        return lost(task, **how)

    monkeypatch.setattr(sweeping.outcomes, "lost", failing)
    sweep()
    assert (row(broken).failures, row(well).failures) == (0, 1)
    assert f"Task {broken.id} could not be healed" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_it_does_nothing_twice_when_two_sweep_at_once(caller):
    """G75."""
    lost = [begun(submitted(caller, **HOOK)) for _ in range(2)]
    for task in lost:
        die(task)
    info = parked(caller, "probe_need_info", **HOOK)
    human = parked(caller, "probe_need_human", **HOOK)
    queued = submitted(caller, "probe_other_lane", **HOOK)
    for task in (info, human, queued):
        overdue(task)
    race(sweep, sweep)
    assert [row(task).failures for task in lost] == [1, 1]
    assert log(info).count("task_failed") == 1
    assert log(human).count("human_decision") == 1
    assert log(queued).count("task_failed") == 1
    assert events(info).count("failed") == events(queued).count("failed") == 1


def test_it_finds_nothing_to_do_the_second_time(caller):
    task = begun(submitted(caller))
    die(task)
    sweep()
    before = list(Task.objects.values())
    sweep()
    assert list(Task.objects.values()) == before


def test_it_leaves_ended_tasks_alone(caller):
    task = submitted(caller)
    lifecycle.cancel(task.id, by="caller:1")
    before = list(Task.objects.values())
    sweep()
    assert list(Task.objects.values()) == before


def test_it_takes_being_late_for_no_trouble(caller, caplog):
    """Somebody answered between its look and its write."""
    task = parked(caller, "probe_need_human")
    question = open_question(task)
    desk.decide_by_timeout(question)
    caplog.set_level("INFO")
    sweeping._each(task, lambda _: desk.decide_by_timeout(question))
    assert [r.levelname for r in caplog.records if r.name == "tasks_app.sweep"] == [
        "INFO"
    ]
    assert log(task).count("human_decision") == 1
