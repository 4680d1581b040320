"""G35: peers that do not confirm, that are gone, that come back too late."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code
from agents_app.protocol.messages import type_of
from agents_app.protocol.payloads import (
    TaskConfirm,
    TaskNeedHuman,
    TaskNeedInfo,
    TaskStatusUpdate,
)
from tasks_app import delivery, inbox, lifecycle, peers, runner
from tasks_app.models import Delivery, Question
from tasks_app.presence.posting import envelope_for
from tasks_app.sweep import sweep
from tests.factories import events, log, row, submission, submitted
from tests.tasks.presence.cards import live
from tests.tasks.sweep.aging import HOOK, overdue, reread

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(north, caller):
    """A task that was given to a live peer."""
    live(north, "translate")
    return submitted(caller, "translate", **HOOK)


def _say(peer: Agent, words) -> Code | None:
    """The peer sends a message about its task."""
    envelope = envelope_for(peer, words).model_copy(
        update={"sender": peer.address, "recipient": "agent:synapse"}
    )
    assert envelope.type == type_of(words)
    return inbox.receive(peer, envelope, envelope.to_bytes()).code


def _gone(agent: Agent, settings, *, beyond_grace: bool = False) -> None:
    late = 3 * settings.SYNAPSE_HEARTBEAT_SECONDS + 1
    late += settings.SYNAPSE_PEER_GRACE_SECONDS if beyond_grace else 0
    heard = timezone.now() - timedelta(seconds=late)
    Agent.objects.filter(pk=agent.pk).update(heartbeat_at=heard)


def _outbox(agent: Agent) -> list[tuple[str, str]]:
    """What was to be sent to it about tasks, and what became of that."""
    found = Delivery.objects.filter(peer=agent, task__isnull=False)
    rows = found.order_by("sequence").values_list("event", "state")
    return [(event.removeprefix("p2p:"), state) for event, state in rows]


def test_it_waits_for_a_peer_that_has_time(task):
    sweep()
    assert (row(task).state, log(task)) == ("pending", ["task_request"])


def test_it_offers_an_unconfirmed_task_to_the_next_peer(task, north, south):
    live(south, "translate")
    overdue(task)
    sweep()
    after = row(task)
    assert (after.executor, after.state) == ("agent:south", "pending")
    assert log(task) == ["task_request", "task_cancel", "task_request"]
    assert _outbox(north) == [
        ("task_request", "superseded"),
        ("task_cancel", "waiting"),
    ]
    assert _outbox(south) == [("task_request", "waiting")]
    assert after.due_at > timezone.now()


def test_it_asks_the_next_peer_for_the_same(task, north, south):
    live(south, "translate")
    overdue(task)
    sweep()
    asked = row(task).messages.filter(type="p2p:task_request").order_by("generation")
    first, second = asked
    assert first.payload == second.payload
    assert first.message_id != second.message_id
    sent = Envelope.from_bytes(Delivery.objects.get(pk=second.message_id).body.encode())
    assert (sent.sender, sent.recipient) == ("agent:synapse", "agent:south")


def test_it_runs_it_here_when_there_is_a_handler_now(task, declare):
    declare(lambda ctx: {"done": True}, task_type="translate")
    overdue(task)
    sweep()
    assert row(task).executor == "agent:synapse"
    runner.drain("default")
    assert (row(task).state, row(task).result) == ("completed", {"done": True})


def test_it_fails_an_unconfirmed_task_that_nobody_else_takes(task, north):
    overdue(task)
    sweep()
    assert row(task).error["code"] == Code.AGENT_SILENT
    assert row(task).error["details"] == {"agent": "agent:north"}
    assert events(task).count("failed") == 1
    assert ("task_cancel", "waiting") in _outbox(north)


def test_it_says_in_its_own_name_that_it_gave_up(task):
    overdue(task)
    sweep()
    failed = row(task).messages.get(type="p2p:task_failed")
    assert failed.sender == "agent:synapse"


def test_it_asks_nobody_twice(task, north, south):
    live(south, "translate")
    for _ in range(2):
        overdue(task)
        sweep()
    assert row(task).error["code"] == Code.AGENT_SILENT
    assert log(task).count("task_request") == 2


def test_it_passes_over_a_peer_that_takes_no_such_payload(task, south):
    schema = {"type": "object", "required": ["city"]}
    live(south, {"type": "translate", "input_schema_object": schema})
    overdue(task)
    sweep()
    assert row(task).state == "failed"


def test_it_never_moves_a_task_whose_agent_was_chosen(north, south, caller):
    live(north, "translate")
    live(south, "translate")
    task, _ = lifecycle.submit(submission(caller, "translate", agent_id="north"))
    overdue(task)
    sweep()
    assert (row(task).executor, row(task).state) == ("agent:north", "failed")


def test_it_does_not_wait_for_a_peer_that_is_gone(task, north, south, settings):
    live(south, "translate")
    _gone(north, settings)
    sweep()
    assert row(task).executor == "agent:south"


def test_it_keeps_a_task_for_a_peer_that_may_come_back(task, north, settings):
    _gone(north, settings)
    sweep()
    assert (row(task).state, row(task).executor) == ("pending", "agent:north")


def test_it_refuses_the_late_confirmation_of_a_former_executor(task, north, south):
    live(south, "translate")
    overdue(task)
    sweep()
    refused = _say(north, TaskConfirm(task_id=task.wire_id))
    assert refused is Code.TASK_NOT_FOUND
    assert row(task).state == "pending"


def test_it_lets_a_confirmation_win_that_came_first(task, north, south):
    live(south, "translate")
    overdue(task)
    assert _say(north, TaskConfirm(task_id=task.wire_id)) is None
    sweep()
    assert (row(task).state, row(task).executor) == ("confirmed", "agent:north")


def test_it_gives_a_running_task_its_grace(task, north, south, settings):
    live(south, "translate")
    _say(north, TaskStatusUpdate(task_id=task.wire_id, status="executing"))
    _gone(north, settings)
    sweep()
    assert (row(task).state, row(task).executor) == ("executing", "agent:north")


def test_it_fails_a_running_task_when_the_grace_is_over(task, north, south, settings):
    live(south, "translate")
    _say(north, TaskStatusUpdate(task_id=task.wire_id, status="executing"))
    _gone(north, settings, beyond_grace=True)
    sweep()
    assert row(task).error["code"] == Code.AGENT_SILENT
    assert log(task).count("task_request") == 1, "it may have run: never twice"


def test_it_fails_a_running_task_that_makes_no_progress(task, north):
    """Heartbeats arrive, but nothing else does."""
    _say(north, TaskStatusUpdate(task_id=task.wire_id, status="executing"))
    overdue(task)
    sweep()
    assert row(task).error["code"] == Code.AGENT_SILENT


def test_it_leaves_a_question_of_a_silent_peer_to_its_deadline(task, north, settings):
    question = TaskNeedHuman(task_id=task.wire_id, escalation_level=1, reason={})
    _say(north, question)
    _gone(north, settings, beyond_grace=True)
    sweep()
    assert row(task).state == "need_human"
    overdue(task)
    sweep()
    assert row(task).state == "human_rejected"
    assert ("human_decision", "waiting") in _outbox(north)


def test_it_tells_the_peer_that_its_facts_do_not_come(task, north):
    question = TaskNeedInfo(
        task_id=task.wire_id, missing_fields=("city",), reason="Which?"
    )
    _say(north, question)
    overdue(task)
    sweep()
    assert row(task).error["code"] == Code.INFO_TIMEOUT
    assert Question.objects.get().state == "expired"
    assert _outbox(north)[-1] == ("task_cancel", "waiting")


def test_it_offers_the_tasks_of_a_disabled_peer_elsewhere(task, north, south, settings):
    live(south, "translate")
    peers.disable(north)
    _gone(north, settings)
    sweep()
    assert row(task).executor == "agent:south"


def test_it_takes_an_acknowledgement_of_the_cancel(task, north):
    overdue(task)
    sweep()
    cancel = Delivery.objects.get(event="p2p:task_cancel")
    delivery.acknowledge(north, str(cancel.pk))
    assert ("task_cancel", "delivered") in _outbox(north)
    assert reread(task).state == "failed"
