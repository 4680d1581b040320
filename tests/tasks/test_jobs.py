"""What Celery calls: names of lanes in, nothing out."""

import pytest

from tasks_app import jobs, peers, queue
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
