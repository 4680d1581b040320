"""G03: one end, whoever races for it. The fixture checks the whole history."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.receiver import Receiver
from tests.stack import Client, Stack, eventually

pytestmark = pytest.mark.journey

KINDS = (
    ("probe_echo", {}),
    ("probe_fail", {}),
    ("probe_sleep", {"seconds": 0.05}),
)
SEED = 20240531


def has_begun(client: Client, task_id: str) -> bool:
    answer = client.request("GET", f"/task/{task_id}/status")
    return str(answer.json()["status"]) != "received"


def test_g03_cancel_complete_and_fail_race(faults: Stack, receiver: Receiver) -> None:
    chance = random.Random(SEED)  # noqa: S311 - a dice, no secret

    def submit_and_cancel(number: int, wait: bool) -> str:
        client = faults.client()
        kind, payload = KINDS[number % len(KINDS)]
        task_id = client.submit(kind, payload, callback_url=receiver.url())
        if wait:  # Then the cancel hits while it runs, or after its end.
            eventually(lambda: has_begun(client, task_id), 30, "it to begin")
        client.cancel(task_id)
        client.cancel(task_id)
        return task_id

    with ThreadPoolExecutor(4) as pool:
        waits = [chance.random() < 0.5 for _ in range(60)]
        tasks = list(pool.map(submit_and_cancel, range(60), waits))
    client = faults.client()
    states = {client.end(task_id)["status"] for task_id in tasks}
    # Each side must have won now and then, or nothing raced.
    assert {"cancelled"} < states
