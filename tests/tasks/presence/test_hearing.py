"""What peers say of themselves: presence, load, and what they offer."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents_app.models import Agent
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import CapabilityQuery
from tasks_app import presence
from tasks_app.models import Delivery
from tasks_app.presence.posting import envelope_for
from tests.tasks.presence.cards import card, heartbeat

pytestmark = pytest.mark.django_db
SCHEMA = '{"type": "object", "required": ["city"]}'


def _queries() -> int:
    return Delivery.objects.filter(event="p2p:capability_query").count()


def _aged(agent: Agent, **ages: int) -> Agent:
    """As it would look that many seconds from now."""
    now = timezone.now()
    values = {name: now - timedelta(seconds=age) for name, age in ages.items()}
    Agent.objects.filter(pk=agent.pk).update(**values)
    return Agent.objects.get(pk=agent.pk)


def _refusal(agent: Agent, *types: object, **fields: object) -> SynapseError:
    with pytest.raises(SynapseError) as refused:
        presence.learned(agent, card(agent, *types, **fields))
    assert Agent.objects.get(pk=agent.pk).capabilities is None
    return refused.value


def test_it_notes_presence_and_load(north):
    presence.heard(north, heartbeat(north, status="draining", active=3, capacity=7))
    north.refresh_from_db()
    assert (north.status, north.active, north.capacity) == ("draining", 3, 7)
    assert north.is_online(timezone.now(), timedelta(seconds=5))


def test_it_takes_any_number_for_load(north):
    presence.heard(north, heartbeat(north, active=10**30, capacity=10**30))
    assert Agent.objects.get().active == 2**31 - 1


def test_it_refuses_a_heartbeat_in_another_name(north, south):
    with pytest.raises(SynapseError) as refused:
        presence.heard(north, heartbeat(south))
    assert refused.value.code is Code.INVALID_FIELD
    assert Agent.objects.get(pk="south").heartbeat_at is None


def test_it_asks_on_the_first_heartbeat(north):
    presence.heard(north, heartbeat(north))
    query = Delivery.objects.get()
    assert (query.event, query.peer_id) == ("p2p:capability_query", "north")
    assert query.next_try_at is not None


def test_it_does_not_ask_again_while_the_card_is_fresh(north):
    presence.heard(north, heartbeat(north))
    presence.learned(north, card(north, "translate"))
    presence.heard(Agent.objects.get(), heartbeat(north))
    assert _queries() == 1


def test_it_does_not_ask_again_while_an_answer_may_come(north):
    presence.heard(north, heartbeat(north))
    presence.heard(Agent.objects.get(), heartbeat(north))
    assert _queries() == 1


@pytest.mark.parametrize(
    "ages",
    [
        {"capabilities_at": 601, "capabilities_asked_at": 601},
        {"capabilities_asked_at": 61},
        {"heartbeat_at": 91, "capabilities_at": 90, "capabilities_asked_at": 1},
    ],
    ids=["old card", "no answer", "came back"],
)
def test_it_asks_again(north, ages):
    recent = _aged(north, heartbeat_at=1)
    presence.heard(_aged(recent, **ages), heartbeat(north))
    assert _queries() == 1


def test_it_lets_one_question_wait_in_a_mailbox(south):
    presence.ask(south)
    presence.ask(south)
    assert _queries() == 1


def test_it_names_the_card_it_has(north):
    presence.learned(north, card(north, etag="abc"))
    presence.ask(Agent.objects.get())
    words = Envelope.from_bytes(Delivery.objects.get().body.encode()).content()
    assert words.etag == "abc"


def test_it_answers_a_query_with_its_own_types(north):
    query = envelope_for(north, CapabilityQuery())
    presence.answer_query(north, query, CapabilityQuery())
    reply = Envelope.from_bytes(Delivery.objects.get().body.encode())
    card = reply.content()
    assert reply.in_reply_to == query.message_id
    assert "probe_echo" in {offer.type for offer in card.supported_task_types}
    assert (card.agent_id, card.etag) == ("synapse", presence.own_card()["etag"])


def test_it_answers_for_the_types_that_were_named(north):
    words = CapabilityQuery(task_types=("probe_echo", "nope"))
    presence.answer_query(north, envelope_for(north, words), words)
    reply = Envelope.from_bytes(Delivery.objects.get().body.encode())
    assert [o.type for o in reply.content().supported_task_types] == ["probe_echo"]


def test_it_offers_no_peer_the_types_of_another(north, south):
    presence.heard(south, heartbeat(south))
    presence.learned(south, card(south, "translate"))
    offered = {offer["type"] for offer in presence.own_card()["supported_task_types"]}
    assert "translate" not in offered


def test_it_changes_its_etag_with_its_types(declare):
    before = presence.own_card()["etag"]
    declare(lambda ctx: {})
    assert presence.own_card()["etag"] != before


def test_it_keeps_a_card_and_reads_its_schema_text(north):
    presence.learned(north, card(north, {"type": "w", "input_schema": SCHEMA}))
    north.refresh_from_db()
    (offer,) = north.task_types()
    assert offer["input_schema_object"]["required"] == ["city"]
    assert north.capabilities_at is not None


@pytest.mark.parametrize(
    "schema", ["{", "[]", '{"type": 7}', "[" * 5000], ids=["cut", "list", "bad", "deep"]
)
def test_it_refuses_a_schema_that_nobody_could_check_by(north, schema):
    error = _refusal(north, {"type": "w", "input_schema": schema})
    assert (error.code, error.details["task_type"]) == (Code.SCHEMA_INVALID, "w")
    assert error.details["problem"]
    north.refresh_from_db()
    assert error.details["problem"] in north.capabilities_problem


def test_it_keeps_the_old_card_when_a_new_one_is_refused(north):
    presence.learned(north, card(north, "translate"))
    broken = {"type": "w", "input_schema_object": {"pattern": "("}}
    with pytest.raises(SynapseError):
        presence.learned(north, card(north, broken))
    north.refresh_from_db()
    assert [offer["type"] for offer in north.task_types()] == ["translate"]
    assert "$.pattern" in north.capabilities_problem
    presence.learned(north, card(north, "translate"))
    north.refresh_from_db()
    assert north.capabilities_problem == ""


def test_it_refuses_a_card_of_somebody_else(north):
    assert "agent_id" in _refusal(north, agent_id="south").details["fields"]


def test_it_refuses_a_type_that_is_there_twice(north):
    assert _refusal(north, "translate", "translate").code is Code.INVALID_FIELD


def test_it_refuses_too_many_types(north):
    assert _refusal(north, *(f"t{n}" for n in range(501))).code is Code.INVALID_FIELD


def test_it_refuses_a_card_that_is_too_long(north):
    long = {"type": "w", "description": "x" * 600_000}
    assert _refusal(north, long).code is Code.INVALID_FIELD


def test_it_refuses_what_no_row_can_hold(north):
    assert _refusal(north, {"type": "w", "name": "a\0"}).code is Code.UNSTORABLE_VALUE
