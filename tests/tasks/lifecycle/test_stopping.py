"""Our operator ends a task that has another agent on one side."""

import pytest
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import LIVE
from tasks_app import ledger, lifecycle, runner
from tasks_app.lifecycle import Submission
from tasks_app.models import Delivery, Question, Task
from tests.factories import log, row, set_row, submitted
from tests.tasks.ledger.planning import begun

pytestmark = pytest.mark.django_db
OLGA = "desk:olga"


@pytest.fixture
def ada(db) -> Agent:
    offer = {"supported_task_types": [{"type": "paint"}]}
    return Agent.objects.create(
        id="ada", capabilities=offer, heartbeat_at=timezone.now()
    )


@pytest.fixture
def hers(ada):
    """A task that ada asks of us."""

    def submit(task_type: str = "probe_echo"):
        wanted = Submission(
            caller_id=None,
            requester=ada.address,
            requester_task_id="t-1",
            task_type=task_type,
            payload={},
        )
        return lifecycle.submit(wanted)[0]

    return submit


def _last(task) -> Envelope:
    body = Delivery.objects.filter(task=task.id).latest("sequence").body
    return Envelope.from_bytes(body.encode())


def test_it_stops_a_task_of_a_peer_and_tells_it(hers) -> None:
    task = begun(hers())
    after = lifecycle.stop(task.id, by=OLGA, reason="Out of paper.")
    assert (after.state, row(task).error["code"]) == ("failed", 2023)
    assert row(task).attempts.get().outcome == "cancelled"
    assert not ledger.renew(task.id, task.attempt, timezone.now())
    told = _last(task)
    assert (told.type, told.recipient) == ("p2p:task_failed", "agent:ada")
    assert told.payload["task_id"] == "t-1"
    assert told.payload["error"]["message"] == "Out of paper."


@pytest.mark.parametrize("state", sorted(LIVE))
def test_it_stops_it_in_every_live_state(hers, state) -> None:
    task = hers()
    set_row(task, state=state)
    assert lifecycle.stop(task.id, by=OLGA).state == "failed"
    runner.drain("default")
    assert log(task)[-1] == "task_failed"


def test_it_says_in_the_log_who_stopped_it_and_why(hers) -> None:
    task = hers()
    lifecycle.stop(task.id, by=OLGA, reason="Out of paper.")
    assert log(task)[-2:] == ["desk:stop", "task_failed"]
    note = row(task).messages.get(type="desk:stop")
    assert (note.sender, note.recipient) == (OLGA, "agent:synapse")
    assert note.payload == {"task_id": str(task.id), "reason": "Out of paper."}
    assert OLGA not in Delivery.objects.get(task=task.id).body


def test_it_closes_what_was_asked_of_the_peer(hers) -> None:
    task = hers("probe_need_human")
    runner.drain("default")
    lifecycle.stop(task.id, by=OLGA)
    question = Question.objects.get()
    assert (question.state, question.closed_by) == ("withdrawn", OLGA)


def test_it_takes_a_task_back_from_the_peer_that_executes_it(ada, caller) -> None:
    task = submitted(caller, "paint")
    assert lifecycle.cancel(task.id, by=OLGA, reason="No.").state == "cancelled"
    told = _last(task)
    assert (told.type, told.recipient) == ("p2p:task_cancel", "agent:ada")
    assert told.sender == "agent:synapse", "operators are internal"
    assert told.payload == {"task_id": str(task.id), "reason": "No."}


@pytest.mark.parametrize("by", ["agent:eve", OLGA])
def test_it_lets_only_the_peer_cancel_its_task(hers, by) -> None:
    task = hers()
    with pytest.raises(SynapseError) as refused:
        lifecycle.cancel(task.id, by=by)
    assert refused.value.code is Code.FORBIDDEN
    assert Task.objects.get().state == "pending"


def test_it_stops_what_ended_no_more(hers) -> None:
    task = hers()
    lifecycle.stop(task.id, by=OLGA)
    with pytest.raises(SynapseError) as refused:
        lifecycle.stop(task.id, by=OLGA)
    assert refused.value.code is Code.TASK_ENDED


def test_it_stops_nothing_that_is_ours(caller) -> None:
    task = submitted(caller)
    with pytest.raises(SynapseError) as refused:
        lifecycle.stop(task.id, by=OLGA)
    assert refused.value.code is Code.FORBIDDEN
    assert row(task).state == "pending"
