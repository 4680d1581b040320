"""A peer that floods harms only itself: how fast, how many, how large."""

import pytest
from django.utils import timezone

from agents_app.models import Agent
from tasks_app import lifecycle
from tasks_app.api.a2a import pace
from tasks_app.inbox import bounds
from tasks_app.models import Delivery, Question, Received, Task
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import Peer, acked, refused
from tests.tasks.racing import race

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks_app.api.a2a.pace.buckets", pace.Buckets())


@pytest.fixture
def slow(settings) -> None:
    settings.SYNAPSE_PEER_MESSAGES_PER_MINUTE = 3


@pytest.mark.usefixtures("slow")
def test_it_slows_down_who_talks_too_fast_and_nobody_else(ada, eve, rows) -> None:
    for number in range(3):
        assert acked(ada.say("task_request", request(f"t-{number}")))
    before = rows()
    late = ada.say("task_request", request("t-4"))
    assert (refused(late), late.status_code) == (1003, 429)
    error = ada.read(late)["payload"]["error"]
    assert (error["details"], error["retry_after"]) == ({"per_minute": 3}, 20)
    assert rows() == before
    assert acked(eve.say("task_request", request("t-4")))


@pytest.mark.usefixtures("slow")
def test_it_takes_the_same_message_when_there_is_time_again(ada, monkeypatch) -> None:
    for _ in range(3):
        ada.mailbox()
    envelope = ada.envelope("task_request", request())
    assert refused(ada.send(envelope)) == 1003
    later = pace.time.monotonic() + 20
    monkeypatch.setattr(pace.time, "monotonic", lambda: later)
    assert acked(ada.send(envelope))


@pytest.mark.usefixtures("slow")
def test_it_counts_nothing_against_a_name_that_others_use(ada, eve) -> None:
    for _ in range(9):
        body = b"{}"
        forged = ada.envelope("task_request", request())
        assert refused(eve.post(body, eve.signed(body, forged["message_id"]))) == 6004
        eve.say("task_request", request(), sender=ada.address)
    assert acked(ada.say("task_request", request()))


def test_it_holds_no_more_open_tasks_of_a_peer_than_it_may_have(ada, eve) -> None:
    Agent.objects.filter(pk="ada").update(max_open=2)
    assert acked(ada.say("task_request", request("one")))
    assert acked(ada.say("task_request", request("two")))
    envelope = ada.envelope("task_request", request("three"))
    full = ada.send(envelope)
    assert (refused(full), full.status_code) == (4007, 429)
    error = ada.read(full)["payload"]["error"]
    assert (error["details"], error["retry_after"]) == ({"max_open": 2}, 30)
    assert acked(ada.say("task_request", request("one"))), "a repeat needs no room"
    assert acked(eve.say("task_request", request("three")))
    assert acked(ada.say("task_cancel", {"task_id": "one"}))
    assert acked(ada.send(envelope)), "the same message, when there is room"


@pytest.mark.django_db(transaction=True)
def test_it_counts_exactly_when_many_come_at_once() -> None:
    peer = Peer("ada", max_open=2)
    ask = [lambda n=n: peer.say("task_request", request(f"t-{n}")) for n in range(6)]
    answers = race(*ask)
    assert sorted(one.status_code for one in answers) == [200] * 2 + [429] * 4
    assert {refused(one) for one in answers if one.status_code == 429} == {4007}
    assert Task.objects.count() == 2


def test_it_takes_nothing_new_from_a_peer_that_does_not_read(ada, monkeypatch) -> None:
    monkeypatch.setattr(bounds, "MAX_WAITING", 2)
    assert acked(ada.say("capability_query", {}))
    assert acked(ada.say("capability_query", {}))
    assert refused(ada.say("capability_query", {})) == 4007
    assert refused(ada.say("task_request", request())) == 4007
    about = str(Delivery.objects.first().pk)
    assert acked(ada.say("ack", {"message_id": about}))
    assert acked(ada.say("task_request", request()))


def _update(task: Task, **fields: object) -> dict[str, object]:
    return {"task_id": str(task.pk), "status": "executing"} | fields


def test_it_ends_the_talk_about_one_task_but_hears_its_end(ada, for_ada) -> None:
    Task.objects.update(generation=bounds.MAX_MESSAGES)
    over = ada.say("task_status_update", _update(for_ada))
    assert (refused(over), over.status_code) == (2022, 409)
    assert acked(ada.say("task_complete", {"task_id": str(for_ada.pk), "result": {}}))
    more = {"task_id": str(for_ada.pk), "acked_type": "p2p:task_complete"}
    assert refused(ada.say("task_ack", more)) == 2022


def test_it_keeps_so_many_questions_of_a_task(ada, for_ada, monkeypatch) -> None:
    monkeypatch.setattr(bounds, "MAX_QUESTIONS", 2)
    words = {"task_id": str(for_ada.pk), "missing_fields": ["a"], "reason": "?"}
    assert acked(ada.say("task_need_info", words))
    assert acked(ada.say("task_need_info", words))
    assert refused(ada.say("task_need_info", words)) == 2022
    assert Question.objects.count() == 2
    assert Question.objects.filter(state="open").count() == 1


def test_it_lets_nobody_be_long_who_has_nothing_long_to_say(ada, for_ada) -> None:
    long = ada.say("task_status_update", _update(for_ada, message="x" * 70_000))
    assert (refused(long), long.status_code) == (1016, 413)
    large = {"task_id": str(for_ada.pk), "result": {"text": "x" * 70_000}}
    assert acked(ada.say("task_complete", large))


def test_it_forgets_a_refusal_for_want_of_room(ada) -> None:
    Agent.objects.filter(pk="ada").update(max_open=0)
    assert refused(ada.say("task_request", request())) == 4007
    assert not Received.objects.exists()


def test_it_gives_a_peer_no_more_than_its_own_limit(ada, for_ada, caller) -> None:
    """The other way round: `max_tasks` is of what we ask of it."""
    Agent.objects.filter(pk="ada").update(max_tasks=1, heartbeat_at=timezone.now())
    wanted = lifecycle.Submission(caller_id=caller.pk, task_type="paint", payload={})
    with pytest.raises(lifecycle.SynapseError) as full:
        lifecycle.submit(wanted)
    assert full.value.code == 4008
