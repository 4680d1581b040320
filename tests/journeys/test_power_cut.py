"""G01: a submit that was acknowledged is durable."""

import pytest

from tests.journeys.calls import final_call
from tests.receiver import Receiver
from tests.stack import Stack

pytestmark = pytest.mark.journey


def test_g01_all_that_was_accepted_ends_after_a_power_cut(
    faults: Stack, receiver: Receiver
) -> None:
    client = faults.client()
    tasks = [
        client.submit(
            "probe_ledger",
            {"file": "cut", "seconds": 0.3, "steps": 2},
            callback_url=receiver.url(),
        )
        for _ in range(24)
    ]
    for process in faults.services.values():
        process.kill()
    done = {note["task"] for note in faults.notes("cut") if note["event"] == "end"}
    assert len(done) < len(tasks), "the cut came too late to show anything"
    faults.heal()
    for task_id in tasks:
        client.wait_for(task_id, "completed", timeout=30)
    for task_id in tasks:
        final_call(receiver, task_id, timeout=30)
