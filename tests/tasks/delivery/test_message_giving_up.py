"""A message that never arrives: the task goes elsewhere, fails, or does not mind."""

import pytest
from django.utils import timezone

from agents_app.protocol.payloads import ErrorObject
from tasks_app import delivery, ledger, lifecycle
from tasks_app.models import Delivery, Task
from tests.factories import submission
from tests.tasks.delivery.letters import Friend, letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def friend(receiver) -> Friend:
    friend = Friend("friend", receiver.url("/friend"))
    offer = {"supported_task_types": [{"type": "paint"}]}
    friend.change(capabilities=offer, heartbeat_at=timezone.now())
    receiver.on("/friend", friend.nacks(4002))
    return friend


@pytest.fixture
def task(friend, caller) -> Task:
    """A task that was sent to the friend."""
    task, _ = lifecycle.submit(submission(caller, "paint"))
    return Task.objects.get(pk=task.id)


def _overdue() -> list[object]:
    return [task.id for task in ledger.overdue(timezone.now(), 10)]


def test_it_makes_a_task_overdue_whose_request_was_refused(task) -> None:
    assert _overdue() == []
    delivery.deliver_due()
    assert _overdue() == [task.pk]
    task.refresh_from_db()
    assert (task.state, task.generation) == ("pending", 1)


def test_it_makes_it_overdue_when_refused_through_the_mailbox(task, friend) -> None:
    error = ErrorObject(code=4002, message="No.")
    delivery.refuse(friend.row, str(Delivery.objects.get().pk), error)
    assert _overdue() == [task.pk]


def test_it_leaves_a_task_alone_that_was_confirmed_meanwhile(task) -> None:
    Task.objects.update(state="confirmed")
    delivery.deliver_due()
    assert Delivery.objects.get().state == "dead"
    assert _overdue() == []


def test_it_leaves_a_task_alone_that_is_another_agents_by_now(task) -> None:
    Task.objects.update(executor="agent:other")
    delivery.deliver_due()
    assert _overdue() == []


@pytest.mark.parametrize("event", ["p2p:task_info_provided", "p2p:human_decision"])
def test_it_fails_a_task_whose_executor_cannot_get_its_answer(
    task, friend, event
) -> None:
    Delivery.objects.all().delete()
    Task.objects.update(state="human_approved")
    letter(friend, task_id=task.pk, event=event)
    delivery.deliver_due()
    task.refresh_from_db()
    assert (task.state, task.error["code"]) == ("failed", 6006)
    refused = {"code": 4002, "message": "No."}
    assert task.error["details"] == {"type": event, "refused": refused}


@pytest.mark.parametrize("event", ["p2p:task_cancel", "p2p:task_ack"])
def test_it_only_logs_every_other_one(task, friend, caplog, event) -> None:
    Delivery.objects.all().delete()
    row = letter(friend, task_id=task.pk, event=event)
    before = Task.objects.values().get()
    delivery.deliver_due()
    assert Task.objects.values().get() == before
    assert f"Message {row.pk} ({event})" in caplog.text


def test_it_does_not_mind_one_about_no_task(friend) -> None:
    row = letter(friend, event="p2p:heartbeat")
    delivery.deliver_due()
    row.refresh_from_db()
    assert row.state == "dead"
