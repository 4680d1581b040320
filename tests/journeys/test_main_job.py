"""The main job, end to end: a caller posts an invoice, people are asked, it is done."""

import json

import pytest
from standardwebhooks import Webhook

from tests.agents.papers import EXAMPLES
from tests.receiver import Receiver
from tests.stack import Client, Stack

pytestmark = pytest.mark.journey

INVOICE = EXAMPLES / "invoice.pdf"
WITHOUT_DATE = EXAMPLES / "invoice-without-date.pdf"


def test_it_completes_while_the_caller_polls(client: Client) -> None:
    answer = client.request(
        "POST", "/task", json={"task_type": "probe_echo", "payload": {"a": [1, "é"]}}
    )
    task_id = answer.json()["task_id"]
    assert answer.status_code == 202
    assert answer.json()["status"] == "received"
    task = client.wait_for(task_id, "completed")
    assert task["result"] == {"payload": {"a": [1, "é"]}, "files": []}
    assert (task["progress"], task["error"]) == (100, None)


def test_it_calls_back_signed_and_in_order(
    stack: Stack, client: Client, receiver: Receiver
) -> None:
    task_id = client.submit(
        "probe_need_info",
        external_task_id="order 7",
        callback_url=receiver.url("/hook"),
        callback_token="a secret word",
    )
    receiver.wait_for(2, path="/hook")
    client.info(task_id, colour="blue")
    calls = receiver.wait_for(3, path="/hook")
    verifier = Webhook(stack.callback_secret())
    bodies = [verifier.verify(call.body, dict(call.headers)) for call in calls]
    assert [body["sequence"] for body in bodies] == [1, 2, 3]
    assert [body["status"] for body in bodies] == [
        "processing",
        "processing",
        "completed",
    ]
    assert bodies[1]["missing_fields"][0]["name"] == "colour"
    assert bodies[2]["result"] == {"provided": {"colour": "blue"}}
    assert {body["external_task_id"] for body in bodies} == {"order 7"}
    assert {call.headers["x-callback-token"] for call in calls} == {"a secret word"}


def test_it_asks_the_caller_then_an_operator_and_books(
    stack: Stack, client: Client
) -> None:
    task_id = client.submit_file("invoice_approval", WITHOUT_DATE)
    asked = client.wait_for(task_id, "info_needed")["pending_action"]
    assert asked["kind"] == "info"
    assert [field["name"] for field in asked["missing_fields"]] == ["date"]
    client.info(task_id, date="2024-05-31")
    assert client.wait_for(task_id, "need_human")["pending_action"]["level"] == 1
    assert stack.operator().decide(task_id, "approve", comment="Fine.").ok
    result = client.result(task_id)
    assert result["approved"] is True
    assert (result["date"], result["decided_by"]) == ("2024-05-31", "operator")
    receipt = json.loads(client.download(task_id, result["receipt_file_id"]))
    assert (receipt["task_id"], receipt["amount"]) == (task_id, 1512.5)


def test_it_ends_without_booking_what_an_operator_rejects(
    stack: Stack, client: Client
) -> None:
    task_id = client.submit_file("invoice_approval", INVOICE)
    client.wait_for(task_id, "need_human")
    stack.operator().decide(task_id, "reject", comment="Not ours.")
    result = client.result(task_id)
    assert (result["approved"], result["comment"]) == (False, "Not ours.")
    assert result["receipt_file_id"] is None


def test_it_books_what_an_operator_changed(stack: Stack, client: Client) -> None:
    task_id = client.submit_file("invoice_approval", INVOICE)
    client.wait_for(task_id, "need_human")
    stack.operator().decide(task_id, "modify", Amount="1200.50")
    result = client.result(task_id)
    assert (result["decision"], result["amount"]) == ("modified", 1200.5)
    assert result["sources"]["amount"] == "operator"


def test_it_asks_nobody_below_the_limit(client: Client) -> None:
    task_id = client.submit_file("invoice_approval", INVOICE, '{"limit": 5000}')
    assert client.result(task_id)["decision"] == "auto"
