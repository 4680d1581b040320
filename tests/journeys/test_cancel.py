"""Cancelling is honest (G11) and stops the work, whatever the handler does."""

from collections.abc import Iterator

import pytest

from tests.journeys.calls import final_call
from tests.receiver import Receiver
from tests.stack import Client, Stack, eventually

pytestmark = pytest.mark.journey


def running(stack: Stack, client: Client, file: str, **payload: object) -> str:
    """A task whose handler has begun and would take a minute."""
    payload = {"file": file, "seconds": 60, **payload}
    task_id = client.submit("probe_ledger", payload)
    eventually(lambda: stack.notes(file), 10, f"{file} begins")
    return task_id


def test_it_stops_a_handler_that_listens(stack: Stack, client: Client) -> None:
    tasks = [running(stack, client, f"listens-{number}") for number in range(2)]
    for task_id in tasks:
        assert client.cancel(task_id).json()["status"] == "cancelled"
    # Both slots are free again.
    client.result(client.submit("probe_echo"))
    assert [note["event"] for note in stack.notes("listens-0")] == ["start"]
    assert [client.task(task_id)["status"] for task_id in tasks] == ["cancelled"] * 2


@pytest.fixture
def neighbour(stack: Stack, client: Client) -> Iterator[str]:
    """A task that works in the other slot and must notice nothing."""
    task_id = client.submit("probe_sleep", {"seconds": 60})
    client.wait_for(task_id, "executing")
    yield task_id
    assert client.task(task_id)["a2a_state"] == "executing"
    assert stack.ledger.task(task_id).attempt == 1
    client.cancel(task_id)


@pytest.mark.usefixtures("neighbour")
def test_it_interrupts_a_handler_that_does_not_listen(
    stack: Stack, client: Client
) -> None:
    stuck = running(stack, client, "stuck", hard=True)
    assert client.cancel(stuck).status_code == 200
    # The only free slot is the one that was stuck.
    client.result(client.submit("probe_ledger", {"file": "after-stuck"}))
    assert [note["event"] for note in stack.notes("stuck")] == ["start"]
    assert stack.notes("after-stuck")[0]["pid"] == stack.notes("stuck")[0]["pid"]


@pytest.mark.usefixtures("neighbour")
def test_it_replaces_the_process_of_a_handler_that_nothing_stops(
    stack: Stack, client: Client
) -> None:
    deaf = running(stack, client, "deaf", deaf=True)
    assert client.cancel(deaf).status_code == 200
    client.result(client.submit("probe_ledger", {"file": "after-deaf"}))
    assert [note["event"] for note in stack.notes("deaf")] == ["start"]
    assert stack.notes("after-deaf")[0]["pid"] != stack.notes("deaf")[0]["pid"]


def test_it_cancels_a_task_that_waits_for_its_caller(
    client: Client, receiver: Receiver
) -> None:
    task_id = client.submit("probe_need_info", callback_url=receiver.url())
    client.wait_for(task_id, "info_needed")
    assert client.cancel(task_id).status_code == 200
    body = {"provided_info": {"colour": "blue"}}
    late = client.request("POST", f"/task/{task_id}/info", json=body)
    assert late.status_code == 409
    last = final_call(receiver, task_id).json()
    assert (last["status"], last["error"]) == ("cancelled", None)


def test_it_takes_a_cancelled_request_off_the_desk(
    stack: Stack, client: Client
) -> None:
    task_id = client.submit("probe_need_human")
    client.wait_for(task_id, "need_human")
    operator = stack.operator()
    page = operator.request_of(task_id)
    assert client.cancel(task_id).status_code == 200
    assert operator.inbox(task_id) == []
    assert operator.send(page, "action", {"action": "approve"}).status_code == 409


def test_it_tells_the_state_of_a_task_that_ended(client: Client) -> None:
    task_id = client.submit("probe_echo")
    client.wait_for(task_id, "completed")
    refused = client.cancel(task_id)
    assert refused.status_code == 409
    assert refused.json()["error"]["details"]["state"] == "completed"


def test_it_says_cancelled_twice(client: Client) -> None:
    task_id = client.submit("probe_need_info")
    client.wait_for(task_id, "info_needed")
    assert [client.cancel(task_id).status_code for _ in range(2)] == [200, 200]
