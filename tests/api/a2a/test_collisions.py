"""Messages and the work on their tasks do not wait for each other in circles."""

from collections.abc import Callable

import pytest
from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected

from agents_app.models import Agent
from tasks_app import lifecycle, peers, presence
from tasks_app.inbox import applying, bounds
from tasks_app.models import Delivery, Received, Task
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import Peer, acked
from tests.tasks.racing import beside

pytestmark = pytest.mark.django_db(transaction=True)
needs_postgres = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has one writer at a time"
)


@needs_postgres
def test_it_answers_a_repeat_while_its_task_is_at_work(ada, caplog) -> None:
    """The repeat must hold nothing that the commit of the work needs."""
    assert acked(ada.say("task_request", request()))
    task = Task.objects.get()
    with transaction.atomic():
        lifecycle.cancel(task.pk, by=ada.address)
        assert Delivery.objects.filter(peer="ada").exists(), "it shares ada's row"
        repeat = beside(lambda: ada.say("task_request", request()))
        repeat.wait_until_held_up()
    assert acked(repeat.result())
    assert "trying again" not in caplog.text
    assert Task.objects.get().state == "cancelled"


def _rotating(ada: Agent) -> None:
    peers._locked(ada)


def _asking(ada: Agent) -> None:
    bounds.check_room(ada, "t-1")


@needs_postgres
@pytest.mark.parametrize("lock", [_rotating, _asking])
def test_it_writes_to_a_peer_whose_row_is_held(
    ada: Peer, lock: Callable[[Agent], None]
) -> None:
    def write() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        presence.beat()

    with transaction.atomic():
        lock(ada.row)
        beside(write).result()
    assert Delivery.objects.filter(peer="ada").exists()


@pytest.fixture
def collide(monkeypatch) -> Callable[[int], None]:
    """The database ends so many of the next messages for another writer."""

    def times(number: int) -> None:
        real, left = applying.apply, [None] * number

        def apply(*words: object) -> None:
            real(*words)
            if left:
                left.pop()
                raise OperationalError from DeadlockDetected()

        monkeypatch.setattr(applying, "apply", apply)

    return times


def test_it_tries_a_message_again_that_collided(ada, collide) -> None:
    collide(1)
    assert acked(ada.say("task_request", request()))
    assert (Task.objects.count(), Received.objects.count()) == (1, 1)


def test_it_says_what_happened_when_a_message_collides_again(ada, collide) -> None:
    collide(2)
    answer = ada.say("task_request", request())
    error = ada.read(answer)["payload"]["error"]
    assert (answer.status_code, error["code"], error["retry_after"]) == (503, 1001, 1)
    assert "stood in the way" in error["message"]
    assert not Task.objects.exists()
    assert not Received.objects.exists()
