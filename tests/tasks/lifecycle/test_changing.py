"""The door of every verb: read, plan, write, again while others are faster."""

import pytest

from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from tasks_app import ledger, lifecycle
from tests.factories import log, row, submitted
from tests.tasks.ledger.planning import begin, begun, complete, report


def test_it_plans_again_on_what_the_winner_left(caller):
    task = begun(submitted(caller))
    seen = []

    def plan(current):
        if not seen:
            ledger.commit([report(current)])
        seen.append(current.generation)
        return complete(current)

    change = lifecycle.change(task.id, plan)
    assert seen == [3, 4]
    assert change.after.generation == 6
    assert row(task).state == TaskState.COMPLETED


def test_it_gives_up_when_others_are_always_faster(caller):
    task = begun(submitted(caller))

    def plan(current):
        ledger.commit([report(current)])
        return complete(current)

    with pytest.raises(SynapseError) as refused:
        lifecycle.change(task.id, plan)
    assert refused.value.code is Code.CHANGED_MEANWHILE
    assert refused.value.retry_after == 1
    assert "task_complete" not in log(task)


def test_it_passes_on_why_the_plan_refuses(caller):
    def plan(_):
        raise SynapseError(Code.NO_INFO_NEEDED)

    with pytest.raises(SynapseError) as refused:
        lifecycle.change(submitted(caller).id, plan)
    assert refused.value.code is Code.NO_INFO_NEEDED


def test_it_knows_no_other_tasks(db):
    with pytest.raises(SynapseError) as refused:
        lifecycle.change(ids.new_id(), begin)
    assert refused.value.code is Code.TASK_NOT_FOUND


def test_it_rings_only_for_what_was_written(
    caller, bells, django_capture_on_commit_callbacks
):
    first, second = (
        begun(submitted(caller, callback_url="https://example.com/")) for _ in range(2)
    )
    late = complete(second)
    ledger.commit([report(second)])
    with django_capture_on_commit_callbacks(execute=True):
        assert lifecycle.commit([late]) == set()
    assert bells == []
    with django_capture_on_commit_callbacks(execute=True):
        lifecycle.commit([complete(first)])
    assert [ring[0] for ring in bells] == ["synapse.deliver"]
