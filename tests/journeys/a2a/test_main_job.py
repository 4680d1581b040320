"""The main job over two nodes: asked at one, done at the other."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.agents.papers import EXAMPLES
from tests.journeys.a2a import agreement
from tests.journeys.calls import final_call
from tests.journeys.conftest import check
from tests.receiver import Receiver
from tests.stack import Client, Pair, Stack, Template, eventually

pytestmark = pytest.mark.journey

WITHOUT_DATE = EXAMPLES / "invoice-without-date.pdf"
# More than the body of a message may be.
LARGE = b"large files too\n" * 160_000


def test_it_asks_our_caller_and_our_operator_and_brings_the_receipt(
    north: Stack, south: Stack, receiver: Receiver
) -> None:
    main_job(north, south, receiver)


@pytest.fixture(scope="module")
def uncallable(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """North has no endpoint of south, which fetches its messages."""
    folder = tmp_path_factory.mktemp("uncallable")
    with Pair(template, folder, mailbox=True) as pair:
        yield pair


def test_it_does_the_same_when_the_other_cannot_be_called(
    uncallable: Pair, receiver: Receiver
) -> None:
    north, south = uncallable.nodes
    main_job(north, south, receiver)
    check(north, receiver)
    agreement.check(north, south)


def test_it_brings_large_files_both_ways(uncallable: Pair, tmp_path: Path) -> None:
    """South fetches what comes by a link, and brings all that goes from it."""
    north, south = uncallable.nodes
    large = tmp_path / "large.txt"
    large.write_bytes(LARGE)
    client = north.client()
    task_id = client.submit_file("probe_copy", large, agent_id=south.agent_id)
    (copy_id,) = client.result(task_id)["file_ids"]
    assert fetched(client, task_id, copy_id) == LARGE
    there = south.client()
    task_id = there.submit_file("document_text", large, agent_id=north.agent_id)
    (read,) = there.result(task_id)["documents"]
    assert LARGE.decode().startswith(read["text"])
    agreement.check(north, south)


def main_job(north: Stack, south: Stack, receiver: Receiver) -> None:
    """A field from our caller, a decision of our operator, a file in the result."""
    client = north.client()
    task_id = client.submit_file(
        "invoice_approval",
        WITHOUT_DATE,
        agent_id=south.agent_id,
        callback_url=receiver.url(),
    )
    asked = client.wait_for(task_id, "info_needed")["pending_action"]
    assert [field["name"] for field in asked["missing_fields"]] == ["date"]
    client.info(task_id, date="2024-05-31")
    client.wait_for(task_id, "need_human")
    assert (
        south.operator().inbox(south.ledger.tasks_of(north.address)[task_id].id) == []
    )
    assert north.operator().decide(task_id, "approve", comment="Fine.").ok
    result = client.result(task_id)
    assert (result["date"], result["decided_by"]) == ("2024-05-31", "operator")
    assert final_call(receiver, task_id).json()["result"] == result
    content = fetched(client, task_id, result["receipt_file_id"])
    assert content == south.file(result["receipt_file_id"])
    assert json.loads(content)["amount"] == 1512.5


def test_it_does_what_only_the_other_can(
    north: Stack, south: Stack, client: Client, receiver: Receiver
) -> None:
    task_id = client.submit(
        "probe_ledger",
        {"file": "ours", "steps": 2, "question": "human"},
        callback_url=receiver.url(),
    )
    client.wait_for(task_id, "need_human")
    assert north.operator().decide(task_id, "approve").ok
    assert client.result(task_id) == {"attempt": 2}
    assert [note["event"] for note in south.notes("ours")].count("end") == 1
    sent = north.ledger.wire(task_id, south.address).values()
    assert [row.type for row in sent if row.type != "p2p:task_status_update"] == [
        "p2p:task_request",
        "p2p:task_confirm",
        "p2p:task_need_human",
        "p2p:human_decision",
        "p2p:task_complete",
        "p2p:task_ack",
    ]


def test_it_tells_the_eta_and_progress_that_the_other_reports(client: Client) -> None:
    task_id = client.submit(
        "probe_progress", {"percents": [30, 60], "seconds_between": 0.5}
    )
    task = client.wait_for(task_id, "completed")
    assert task["progress"] == 100
    assert datetime.fromisoformat(task["completed_at"])


def test_g11_a_cancel_stops_the_handler_there(
    north: Stack, south: Stack, client: Client, receiver: Receiver
) -> None:
    task_id = client.submit(
        "probe_ledger", {"file": "stopped", "seconds": 60}, callback_url=receiver.url()
    )
    eventually(lambda: south.notes("stopped"), 20, "its handler begins")
    assert client.cancel(task_id).json()["status"] == "cancelled"

    def ended() -> bool:
        return south.ledger.tasks_of(north.address)[task_id].state == "cancelled"

    eventually(ended, 20, "the cancel arrives")
    # Both of its slots are free again.
    slots = [client.submit("probe_sleep", {"seconds": 1}) for _ in range(2)]
    for other in slots:
        client.result(other)
    assert [note["event"] for note in south.notes("stopped")] == ["start"]
    assert final_call(receiver, task_id).json()["status"] == "cancelled"


def fetched(client: Client, task_id: str, file_id: str) -> bytes:
    """It comes from the other node in the background: there a moment later."""

    def there() -> bytes | None:
        answer = client.request("GET", f"/task/{task_id}/files/{file_id}")
        return answer.content if answer.ok else None

    content = eventually(there, 20, "the receipt")
    assert content
    return content
