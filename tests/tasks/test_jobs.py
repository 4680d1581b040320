"""What Celery calls: names of lanes in, nothing out."""

import pytest
from django.db import OperationalError
from psycopg.errors import DeadlockDetected

from tasks_app import collecting, delivery, jobs, peers, presence, queue, runner
from tasks_app.models import Delivery
from tests.factories import row, set_row, submitted
from tests.tasks.sweep.aging import ago

# A job drops a connection that is in a transaction: it looks broken.
pytestmark = pytest.mark.django_db(transaction=True)


def test_it_advances_a_lane(caller):
    task = submitted(caller)
    assert jobs.advance("default") is None
    assert row(task).state == "completed"


def test_it_sweeps(caller):
    task = submitted(caller)
    set_row(task, due_at=ago(1))
    assert jobs.sweep() is None
    assert row(task).state == "failed"


def test_it_tells_peers_that_it_is_there():
    peers.register("south")
    assert jobs.heartbeat() is jobs.greet("south") is jobs.fetch() is None
    assert Delivery.objects.get().event == "p2p:heartbeat"


def test_it_has_the_names_that_are_rung():
    names = (jobs.advance.name, jobs.deliver.name, jobs.sweep.name)
    assert names == (queue.ADVANCE, queue.DELIVER, queue.SWEEP)


@pytest.mark.parametrize(
    ("home", "verb", "job"),
    [
        (runner, "drain", lambda: jobs.advance("default")),
        (delivery, "deliver_due", jobs.deliver),
        (presence, "beat", jobs.heartbeat),
        (presence, "greet", lambda: jobs.greet("south")),
        (collecting, "collect", lambda: jobs.collect("south")),
    ],
)
def test_it_runs_again_after_a_collision(monkeypatch, home, verb, job):
    runs = []

    def collides_once(*_):
        runs.append(1)
        if len(runs) == 1:
            raise OperationalError from DeadlockDetected()

    monkeypatch.setattr(home, verb, collides_once)
    assert job() is None
    assert len(runs) == 2
