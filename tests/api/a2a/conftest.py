"""Two peers that know each other's tasks, and tasks on both sides."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from agents_app.models import Agent
from tasks_app import lifecycle
from tasks_app.models import Caller, Delivery, Message, Received, Task
from tests.api.a2a.speaking import Peer
from tests.factories import submission

Rows = list[dict[str, object]]


@pytest.fixture
def ada(db: None) -> Peer:
    return Peer("ada")


@pytest.fixture
def eve(db: None) -> Peer:
    return Peer("eve")


@pytest.fixture
def rows(db: None) -> Callable[[], list[Rows]]:
    """Everything that a message may change."""
    tables = (Agent, Task, Message, Delivery, Received)
    return lambda: [list(table.objects.order_by("pk").values()) for table in tables]


@pytest.fixture
def for_ada(ada: Peer, caller: Caller) -> Task:
    """A task of our caller that ada executes."""
    ada.row.capabilities = {"supported_task_types": [{"type": "paint"}]}
    ada.row.heartbeat_at = timezone.now()
    ada.row.save()
    task, _ = lifecycle.submit(submission(caller, "paint", payload={"wall": 1}))
    return Task.objects.get(pk=task.id)


def request(task_id: str = "t-1", task_type: str = "probe_echo") -> dict[str, object]:
    """The payload of a task_request."""
    return {"task_id": task_id, "task_type": task_type, "payload": {"a": 1}}
