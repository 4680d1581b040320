"""Every limit that is advertised holds, however many claim at once (P2A 7.5)."""

import pytest
from django.test import override_settings

from agents_app.protocol.states import TaskState
from tasks_app import claiming, lifecycle, runner
from tasks_app.models import Task
from tests.factories import row, submitted
from tests.tasks.ledger.planning import begun, complete
from tests.tasks.racing import race

parallel = pytest.mark.django_db(transaction=True)


def claim(lane="default", limit=10, fits=lambda task: True):
    taken = claiming.claim(lane, worker="host:1", limit=limit, fits=fits)
    return [begun_.id for _, begun_ in taken]


def only_one():
    answers = iter([True, False, True])
    return lambda task: next(answers)


def running():
    return Task.objects.filter(leased_until__isnull=False).count()


def test_it_takes_no_more_of_a_type_than_its_limit(caller):
    for _ in range(3):
        submitted(caller, "probe_limited")
    assert len(claim()) == 1
    assert claim() == []


def test_it_takes_other_types_meanwhile(caller):
    submitted(caller, "probe_limited")
    submitted(caller, "probe_limited")
    other = submitted(caller, "probe_echo")
    assert len(claim()) == 2
    assert row(other).state == TaskState.EXECUTING


def test_it_is_not_kept_from_other_types_by_a_full_one(caller):
    """However many of it are ahead in the queue."""
    for _ in range(4):
        submitted(caller, "probe_limited", priority="urgent")
    claim(limit=1)
    other = submitted(caller, "probe_echo")
    assert claim(limit=1) == [other.id]


def test_it_takes_the_next_one_when_a_place_is_free(caller):
    first, second = (submitted(caller, "probe_limited") for _ in range(2))
    [(_, held)] = claiming.claim("default", worker="w", limit=1, fits=lambda _: True)
    assert held.id == first.id
    lifecycle.commit([complete(held)])
    assert claim() == [second.id]


@parallel
@pytest.mark.parametrize("_", range(3))
def test_it_holds_the_limit_of_a_type_under_parallel_claims(caller, _):
    for _ in range(4):
        submitted(caller, "probe_limited")
    taken = race(*[claim] * 4)
    assert sorted(map(len, taken)) == [0, 0, 0, 1]
    assert running() == 1


@parallel
@pytest.mark.parametrize(("limit", "batch"), [(1, 2), (3, 2), (70, 50)])
def test_it_holds_the_limit_of_the_node_under_parallel_claims(caller, limit, batch):
    """In a lane without limited types; also for batches far from the limit."""
    for _ in range(limit + batch):
        submitted(caller, "probe_other_lane")
    with override_settings(SYNAPSE_MAX_CONCURRENT_TASKS=limit):
        race(*[lambda: claim("gpu", limit=batch)] * 4)
    assert running() == limit


def test_it_counts_all_lanes_towards_the_limit_of_the_node(caller):
    begun(submitted(caller))
    waiting = submitted(caller, "probe_other_lane")
    with override_settings(SYNAPSE_MAX_CONCURRENT_TASKS=1):
        assert claim("gpu") == []
    with override_settings(SYNAPSE_MAX_CONCURRENT_TASKS=2):
        assert claim("gpu") == [waiting.id]


def test_it_does_not_count_tasks_that_wait_for_people(caller):
    """G17."""
    submitted(caller, "probe_need_human")
    runner.drain("default")
    with override_settings(SYNAPSE_MAX_CONCURRENT_TASKS=1):
        assert claim() == []
        submitted(caller)
        assert len(claim()) == 1


def test_it_stops_where_the_batch_is_full(caller):
    tasks = [submitted(caller) for _ in range(3)]
    assert claim(fits=only_one()) == [tasks[0].id]


def test_it_wakes_another_slot_when_more_is_ready(
    caller, bells, django_capture_on_commit_callbacks
):
    for _ in range(2):
        submitted(caller)
    with django_capture_on_commit_callbacks(execute=True):
        claim(limit=2, fits=only_one())
    assert [ring[2] for ring in bells] == ["lane.default"]


def test_it_leaves_unknown_types_in_the_queue(caller, declare):
    """Another worker may know them (G15: old and new code together)."""
    declare(lambda ctx: {})
    task = submitted(caller, "test_type")
    Task.objects.update(task_type="of_a_newer_version")
    runner.drain("default")
    assert row(task).state == TaskState.PENDING
    assert row(task).queue_key is not None


def test_it_runs_a_lane_only_where_it_is_asked_for(caller):
    task = submitted(caller, "probe_other_lane")
    runner.drain("default")
    assert row(task).state == TaskState.PENDING
    runner.drain("gpu")
    assert row(task).result == {"lane": "gpu"}


def test_it_claims_nothing_in_a_lane_without_handlers(db):
    assert claim("nowhere") == []


@parallel
def test_it_hands_each_task_to_one_claimer(caller):
    """G02."""
    tasks = {submitted(caller).id for _ in range(6)}
    taken = race(*[lambda: claim(limit=6)] * 3)
    flat = [id_ for one in taken for id_ in one]
    assert len(flat) == len(set(flat))
    assert set(flat) <= tasks
    assert set(flat) | set(claim()) == tasks
