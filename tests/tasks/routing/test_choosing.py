"""Who executes a task: ours first, then the least busy live peer that has room."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol.errors import Code, SynapseError
from tasks_app import lifecycle, peers, routing
from tests.factories import row, submission, submitted
from tests.tasks.presence.cards import live

pytestmark = pytest.mark.django_db
NODE = "agent:synapse"


def _choose(task_type: str = "translate", **how) -> str:
    return routing.choose(task_type, node=NODE, **how).address


def _refused(task_type: str = "translate", **how) -> SynapseError:
    with pytest.raises(SynapseError) as refused:
        _choose(task_type, **how)
    return refused.value


def test_it_prefers_its_own_handler(north):
    live(north, "probe_echo")
    assert _choose("probe_echo") == NODE


def test_it_finds_the_peer_that_offers_a_type(north, south):
    live(north, "translate")
    live(south, "sing")
    assert _choose("sing") == "agent:south"


def test_it_takes_the_least_busy_peer(north, south, caller):
    live(north, "translate")
    live(south, "translate")
    task = submitted(caller, "translate")
    assert (task.executor, _choose()) == ("agent:north", "agent:south")


def test_it_takes_the_pinned_peer(north, south):
    live(north, "translate", "probe_echo")
    live(south, "translate")
    assert _choose(agent_id="south") == "agent:south"
    assert _choose("probe_echo", agent_id="north") == "agent:north"
    assert _choose("probe_echo", agent_id="synapse") == NODE


def test_it_passes_over_those_that_were_tried(north, south):
    live(north, "translate", "probe_echo")
    live(south, "translate")
    assert _choose(without=["agent:north"]) == "agent:south"
    assert _choose("probe_echo", without=[NODE]) == "agent:north"
    assert _refused(without=["agent:north", "agent:south"]).code is Code.NO_LIVE_AGENT


@pytest.mark.parametrize("status", ["draining", "overloaded"])
def test_it_gives_no_work_to_a_peer_that_wants_none(north, status):
    live(north, "translate", status=status)
    error = _refused()
    assert (error.code, error.retry_after) == (Code.NO_LIVE_AGENT, 30)


@pytest.mark.parametrize("verb", [peers.drain, peers.disable])
def test_it_gives_no_work_to_a_peer_that_shall_have_none(north, verb):
    verb(live(north, "translate"))
    codes = {peers.drain: Code.NO_LIVE_AGENT, peers.disable: Code.UNKNOWN_TASK_TYPE}
    assert _refused().code is codes[verb]


def test_it_gives_no_work_to_a_peer_that_missed_three_heartbeats(north, settings):
    """G35."""
    live(north, "translate")
    late = timedelta(seconds=3 * settings.SYNAPSE_HEARTBEAT_SECONDS + 1)
    Agent.objects.update(heartbeat_at=timezone.now() - late)
    assert _refused().code is Code.NO_LIVE_AGENT


@pytest.mark.parametrize("limit", [{"max_tasks": 1}, {"capacity": 1}])
def test_it_gives_a_peer_no_more_than_it_may_have(north, caller, limit):
    live(north, "translate")
    Agent.objects.update(**limit)
    task = submitted(caller, "translate")
    assert _refused().code is Code.NO_LIVE_AGENT
    lifecycle.cancel(task.id, by=task.requester)
    assert _choose() == "agent:north"


def test_it_gives_nothing_to_a_peer_without_a_place(north):
    live(north, "translate", capacity=0)
    assert _refused().code is Code.NO_LIVE_AGENT


def test_it_says_what_there_is(north):
    live(north, "translate")
    error = _refused("nope")
    assert error.code is Code.UNKNOWN_TASK_TYPE
    assert {"translate", "probe_echo"} <= set(error.details["supported"])


def test_it_does_not_promise_that_a_pinned_agent_will_do_it(north, south):
    live(north, "translate")
    assert _refused(agent_id="south").code is Code.UNKNOWN_TASK_TYPE
    assert _refused(agent_id="nobody").code is Code.UNKNOWN_TASK_TYPE


def test_it_checks_the_payload_by_the_schema_of_the_peer(north, caller):
    schema = {"type": "object", "required": ["city"]}
    live(north, {"type": "weather", "input_schema_object": schema})
    with pytest.raises(SynapseError) as refused:
        submitted(caller, "weather")
    assert refused.value.code is Code.PAYLOAD_INVALID
    assert submitted(caller, "weather", payload={"city": "Oslo"}).state == "pending"


def test_it_notes_whether_the_caller_chose(north, caller):
    live(north, "translate")
    free = submitted(caller, "translate")
    task, _ = lifecycle.submit(submission(caller, "translate", agent_id="north"))
    assert (row(free).pinned, row(task).pinned) == (False, True)
