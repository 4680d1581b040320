"""Who gets a slot, and when: lanes, priorities, waits that hold none."""

import pytest

from tests.stack import Client, Stack

pytestmark = pytest.mark.journey


def test_it_runs_a_lane_only_where_a_worker_consumes_it(
    stack: Stack, client: Client
) -> None:
    tasks = [client.submit("probe_other_lane") for _ in range(2)]
    # The worker of the other lane looks at its rows all the while, and passes by.
    client.result(client.submit("probe_echo"))
    assert {client.task(task_id)["status"] for task_id in tasks} == {"received"}
    with stack.extra_worker(lane="gpu"):
        for task_id in tasks:
            assert client.result(task_id) == {"lane": "gpu"}


def test_g16_long_work_does_not_block_short_work(client: Client) -> None:
    long = client.submit("probe_sleep", {"seconds": 60})
    client.wait_for(long, "executing")
    short = [client.submit("probe_sleep", {"seconds": 0.1}) for _ in range(5)]
    for task_id in short:
        client.wait_for(task_id, "completed", timeout=5)
    client.cancel(long)


def test_g17_a_human_wait_holds_no_worker(client: Client) -> None:
    parked = [client.submit("probe_need_human") for _ in range(50)]
    for task_id in parked:
        client.wait_for(task_id, "need_human")
    client.wait_for(client.submit("probe_echo"), "completed", timeout=3)
    for task_id in parked:
        client.cancel(task_id)


def test_g14_urgent_work_comes_next(faults: Stack) -> None:
    client = faults.client()
    faults.worker.kill()
    order = ["low"] * 10 + ["normal"] * 10 + ["urgent"]
    with faults.extra_worker(slots=1):
        blocker = client.submit("probe_sleep", {"seconds": 60})
        client.wait_for(blocker, "executing")
        tasks = [
            client.submit("probe_ledger", {"file": "order"}, priority=priority)
            for priority in order
        ]
        client.cancel(blocker)
        for task_id in tasks:
            client.wait_for(task_id, "completed")
    priorities = dict(zip(tasks, order, strict=True))
    starts = [note for note in faults.notes("order") if note["event"] == "start"]
    assert [priorities[note["task"]] for note in starts] == order[::-1]
