"""Task types of remote agents: listed, chosen, pinned."""

import pytest

from agents_app.models import Agent
from tasks_app import peers, presence
from tasks_app.models import Task
from tests.api.conftest import Program, error_of
from tests.tasks.presence.cards import card, live


@pytest.fixture
def north(db: None) -> Agent:
    """A live peer with a type of its own and one of ours."""
    return live(peers.register("north")[0], "translate", "probe_echo")


def _types(program: Program, query: str = "") -> list[tuple[str, str | None]]:
    listed = program.get(f"/capabilities{query}").json()["supported_task_types"]
    return [(entry["type"], entry.get("agent_id")) for entry in listed]


def test_it_lists_the_types_of_live_peers(program: Program, north: Agent) -> None:
    types = _types(program)
    expected = {("translate", "north"), ("probe_echo", "north"), ("probe_echo", None)}
    assert expected <= set(types)


def test_it_leaves_out_a_peer_that_takes_no_work(
    program: Program, north: Agent
) -> None:
    peers.drain(north)
    assert "north" not in {agent_id for _, agent_id in _types(program)}


@pytest.mark.parametrize("agent_id", ["north", "synapse", "nobody"])
def test_it_lists_those_of_one_agent(
    program: Program, north: Agent, agent_id: str
) -> None:
    found = {owner for _, owner in _types(program, f"?agent_id={agent_id}")}
    assert found == {"north": {"north"}, "synapse": {None}, "nobody": set()}[agent_id]


def test_it_gives_a_task_to_the_peer(program: Program, north: Agent) -> None:
    sent = program.post("/task", {"task_type": "translate", "payload": {}})
    assert (sent.status_code, Task.objects.get().executor) == (202, north.address)


def test_it_gives_a_task_to_the_agent_that_was_named(
    program: Program, north: Agent
) -> None:
    body = {"task_type": "probe_echo", "payload": {}, "agent_id": "north"}
    assert program.post("/task", body).status_code == 202
    assert Task.objects.get().executor == north.address


def test_it_names_what_does_not_fit_the_peers_schema(
    program: Program, north: Agent
) -> None:
    schema = {"properties": {"n": {"type": "integer"}}, "required": ["to"]}
    presence.learned(
        north, card(north, {"type": "translate", "input_schema_object": schema})
    )
    body = {"task_type": "translate", "payload": {"n": "x"}}
    error = error_of(program.post("/task", body), 422)
    assert error["code"] == 4002
    assert error["details"]["fields"] == {
        "n": "must be of type integer",
        "": "must have: to",
    }


def test_it_answers_for_a_broken_schema_of_a_peer_g50(
    program: Program, north: Agent
) -> None:
    """Such a card is refused; one that an older version took is no 500 either."""
    offer = {"type": "translate", "input_schema_object": {"$ref": "#/gone"}}
    Agent.objects.update(capabilities={"supported_task_types": [offer]})
    refused = program.post("/task", {"task_type": "translate", "payload": {}})
    assert error_of(refused, 422)["code"] == 4006


def test_it_refuses_an_agent_that_does_not_offer_it(
    program: Program, north: Agent
) -> None:
    body = {"task_type": "translate", "payload": {}, "agent_id": "synapse"}
    refused = program.post("/task", body).json()
    assert refused["error"]["code"] == 4001
    assert not Task.objects.exists()
