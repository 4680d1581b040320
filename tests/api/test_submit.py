"""POST /task (P2A 6.1, 7.1)."""

from tasks_app.models import Message, Task
from tests.api.conftest import Program


def test_it_accepts_a_task_and_says_where_it_is(program: Program) -> None:
    response = program.post("/task", {"task_type": "probe_echo", "payload": {"a": 1}})
    body = response.json()
    task_id = body["task_id"]
    assert response.status_code == 202
    assert response["Location"] == f"/api/v1/synapse/task/{task_id}"
    assert body == {
        "success": True,
        "task_id": task_id,
        "status": "received",
        "message": "Received.",
        "error": None,
        "a2a_state": "pending",
    }


def test_it_stores_all_that_was_sent(program: Program) -> None:
    task_id = program.submit(
        payload={"a": "日本"}, external_task_id="mine", priority="high"
    )
    task = Task.objects.get(pk=task_id)
    assert (task.payload, task.external_task_id, task.priority) == (
        {"a": "日本"},
        "mine",
        "high",
    )
    assert Message.objects.get(task=task).type == "p2p:task_request"
