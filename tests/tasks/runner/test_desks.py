"""Whose people decide for the task of a peer (decision 13)."""

import pytest

from agents_app.models import Agent
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code
from agents_app.protocol.payloads import (
    Action,
    DecidedBy,
    Decision,
    HumanDecision,
    TaskRequest,
)
from tasks_app import desk, inbox, peers, runner
from tasks_app.desk.deciding import Shown
from tasks_app.models import Delivery, Message, Question, Task
from tasks_app.presence.posting import envelope_for

pytestmark = pytest.mark.django_db
APPROVE = Decision(action=Action.APPROVE)


def _ask_a_person(ctx):
    return {"action": ctx.need_human(level=1, reason={"summary": "?"}).action}


def _say(peer: Agent, words) -> Code | None:
    envelope = envelope_for(peer, words).model_copy(
        update={"sender": peer.address, "recipient": "agent:synapse"}
    )
    return inbox.receive(peer, envelope, envelope.to_bytes()).code


@pytest.fixture
def parked(declare, request):
    """The question of a handler that works for a peer."""
    declare(_ask_a_person, **getattr(request, "param", {}))
    peer, _ = peers.register("north")
    asked = TaskRequest(task_id="t-1", task_type="test_type", payload={})
    assert _say(peer, asked) is None
    runner.drain("default")
    return Question.objects.get()


def _sent() -> set[str]:
    return set(Delivery.objects.values_list("event", flat=True))


def test_it_sends_the_question_of_a_peers_task_to_the_peer(parked, olga):
    assert parked.owner == "peer"
    assert "p2p:task_need_human" in _sent()
    words = HumanDecision(
        task_id="t-1",
        decision=APPROVE,
        decided_by=DecidedBy(user_id="nora", role="operator"),
    )
    assert _say(Agent.objects.get(), words) is None
    runner.drain("default")
    assert Task.objects.get().result == {"action": "approve"}


def test_it_names_the_task_to_the_peer_as_the_peer_does(parked):
    bodies = Delivery.objects.values_list("body", flat=True)
    words = [Envelope.from_bytes(body.encode()).payload for body in bodies]
    assert {word["task_id"] for word in words} == {"t-1"}


def test_it_leaves_the_acknowledgement_of_its_result_to_the_peer(parked, olga):
    words = HumanDecision(
        task_id="t-1",
        decision=APPROVE,
        decided_by=DecidedBy(user_id="nora", role="operator"),
    )
    _say(Agent.objects.get(), words)
    runner.drain("default")
    assert Message.objects.filter(type="p2p:task_complete").exists()
    assert not Message.objects.filter(type="p2p:task_ack").exists()


@pytest.mark.parametrize("parked", [{"hil_owner": "local"}], indirect=True)
def test_it_keeps_a_decision_at_our_desk_if_the_type_says_so(parked, olga):
    assert parked.owner == "us"
    assert "p2p:task_need_human" not in _sent()
    desk.decide(Shown(question_id=parked.pk, version=parked.version), APPROVE, olga)
    assert "p2p:human_decision" not in _sent()
    runner.drain("default")
    assert Task.objects.get().result == {"action": "approve"}
    assert "p2p:task_complete" in _sent()


@pytest.mark.parametrize("parked", [{"hil_owner": "local"}], indirect=True)
def test_it_takes_no_decision_of_the_peer_then(parked):
    words = HumanDecision(
        task_id="t-1",
        decision=APPROVE,
        decided_by=DecidedBy(user_id="nora", role="operator"),
    )
    assert _say(Agent.objects.get(), words) is Code.FORBIDDEN
    assert Question.objects.get().is_open
