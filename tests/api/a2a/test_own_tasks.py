"""G33, G34: a peer acts on its own tasks, from its own side, and not after the end."""

import pytest
from django.test import Client

from agents_app.protocol.errors import Code
from tasks_app import lifecycle
from tasks_app.models import Question, Task
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import MESSAGES, NODE, acked, refused
from tests.api.conftest import Program, error_of

pytestmark = pytest.mark.django_db


def _complete(task_id: object) -> dict[str, object]:
    return {"task_id": str(task_id), "result": {"done": True}}


def test_it_lets_nobody_end_the_task_of_another_peer_g33(eve, for_ada, rows) -> None:
    tasks = list(Task.objects.values())
    assert refused(eve.say("task_complete", _complete(for_ada.pk))) == 2001
    assert list(Task.objects.values()) == tasks


def test_it_lets_nobody_cancel_the_task_of_another_peer_g33(ada, eve) -> None:
    assert acked(ada.say("task_request", request("hers")))
    assert refused(eve.say("task_cancel", {"task_id": "hers"})) == 2001
    own = str(Task.objects.get().pk)
    assert refused(eve.say("task_cancel", {"task_id": own})) == 2001
    assert refused(eve.say("task_complete", _complete(own))) == 2001
    assert Task.objects.get().state == "pending"


def test_it_keeps_the_ids_of_two_requesters_apart(ada, eve) -> None:
    assert acked(ada.say("task_request", request("same")))
    assert acked(eve.say("task_request", request("same")))
    assert acked(eve.say("task_cancel", {"task_id": "same"}))
    states = dict(Task.objects.values_list("requester", "state"))
    assert states == {"agent:ada": "pending", "agent:eve": "cancelled"}


def test_it_refuses_the_words_of_the_other_side(ada, for_ada) -> None:
    assert acked(ada.say("task_request", request("asked")))
    assert refused(ada.say("task_complete", _complete("asked"))) == 6003
    assert refused(ada.say("task_cancel", {"task_id": str(for_ada.pk)})) == 6003


def test_it_takes_complete_before_confirm_g34(ada, for_ada) -> None:
    assert acked(ada.say("task_complete", _complete(for_ada.pk)))
    for_ada.refresh_from_db()
    assert (for_ada.state, for_ada.result) == ("completed", {"done": True})
    late = ada.say("task_confirm", {"task_id": str(for_ada.pk)})
    assert refused(late) == 2002
    for_ada.refresh_from_db()
    assert for_ada.state == "completed"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (
            "task_need_info",
            {"reason": "r", "missing_fields": [{"name": "a", "schema": {"type": 5}}]},
        ),
        (
            "task_need_human",
            {
                "escalation_level": 1,
                "reason": {},
                "decision_schema": {"$ref": "http://127.0.0.1/"},
            },
        ),
    ],
)
def test_it_takes_no_question_that_nobody_could_answer_g44(
    ada, for_ada, kind, words
) -> None:
    assert acked(ada.say("task_confirm", {"task_id": str(for_ada.pk)}))
    asked = ada.say(kind, {"task_id": str(for_ada.pk)} | words)
    assert refused(asked) == Code.SCHEMA_INVALID
    assert not Question.objects.exists()


@pytest.mark.parametrize("kind", ["task_status_update", "task_failed", "task_reject"])
def test_it_leaves_an_ended_task_as_it_is_g34(ada, for_ada, kind) -> None:
    lifecycle.cancel(for_ada.pk, by=f"caller:{for_ada.caller_id}")
    error = {"code": 2006, "message": "broke"}
    words = {"status": "executing", "error": error, "reason": error}
    late = ada.say(kind, {"task_id": str(for_ada.pk)} | words)
    assert refused(late) == 2002
    for_ada.refresh_from_db()
    assert for_ada.state == "cancelled"


def test_it_takes_facts_only_for_the_question_they_are_about_g41(ada, drain) -> None:
    assert acked(ada.say("task_request", request("asked", "probe_need_info")))
    drain()
    question = Question.objects.get()
    words = {"task_id": "asked", "provided_info": {"colour": "blue"}}
    late = ada.say("task_info_provided", words | {"request_id": "the-one-before"})
    assert refused(late) == Code.QUESTION_CHANGED
    assert Task.objects.get().state == "info_needed"
    about = {"request_id": question.request_id}
    assert acked(ada.say("task_info_provided", words | about))


def test_it_refuses_a_decision_after_the_cancel_g34(ada, drain) -> None:
    asked = {**request("asked", "probe_need_human"), "payload": {"level": 1}}
    assert acked(ada.say("task_request", asked))
    drain()
    assert acked(ada.say("task_cancel", {"task_id": "asked"}))
    decision = {
        "task_id": "asked",
        "decision": {"action": "approve"},
        "decided_by": {"user_id": "u", "role": "operator"},
    }
    assert 2000 < refused(ada.say("human_decision", decision)) < 3000
    assert Task.objects.get().state == "cancelled"


def test_it_does_not_look_at_api_keys_g33(ada, api_key, rows) -> None:
    before = rows()
    response = Client().post(
        MESSAGES,
        ada.envelope("task_request", request()),
        content_type="application/json",
        headers={"X-API-Key": api_key},
    )
    assert refused(response) == 5007
    assert refused(Program(api_key).get("/a2a/messages")) == 5007
    assert rows() == before


def test_it_opens_no_p2a_door_to_a_signature_g33(ada, api_key) -> None:
    headers = ada.signed(b"", "one") | {"x-synapse-agent": ada.address}
    response = Client().get("/api/v1/synapse/tasks", headers=headers)
    assert error_of(response, 401)["code"] == 5001


def test_it_never_takes_its_own_name_for_a_peer(ada) -> None:
    response = ada.say("task_request", request(), sender=NODE)
    assert refused(response) == 5007


ERROR = {"code": 2006, "message": "broke"}
WORDS = {
    "task_confirm": {},
    "task_reject": {"reason": ERROR},
    "task_status_update": {"status": "executing"},
    "task_need_info": {"missing_fields": ["a"], "reason": "?"},
    "task_need_human": {"escalation_level": 1, "reason": {}},
    "task_complete": {"result": {}},
    "task_failed": {"error": ERROR},
    "task_cancel": {},
    "task_info_provided": {"provided_info": {"a": 1}},
    "human_decision": {
        "decision": {"action": "approve"},
        "decided_by": {"user_id": "u", "role": "r"},
    },
    "task_ack": {"acked_type": "p2p:task_complete"},
}


@pytest.mark.parametrize("kind", WORDS)
def test_it_shows_nobody_that_another_peer_has_a_task_g33(
    ada, eve, for_ada, kind
) -> None:
    assert acked(ada.say("task_request", request("hers")))
    tasks = list(Task.objects.values())
    told = []
    for task_id in (str(for_ada.pk), "hers", "none"):
        answer = eve.say(kind, {"task_id": task_id} | WORDS[kind])
        told.append(eve.read(answer)["payload"]["error"])
    assert told[0] == told[1] == told[2]
    assert told[0]["code"] == Code.TASK_NOT_FOUND
    assert list(Task.objects.values()) == tasks


def test_it_takes_an_id_of_somebody_elses_task_for_a_name_like_any_g33(
    eve, for_ada
) -> None:
    theirs = str(for_ada.pk)
    assert acked(eve.say("task_request", request(theirs)))
    assert refused(eve.say("task_complete", _complete(theirs))) == 6003
    assert acked(eve.say("task_cancel", {"task_id": theirs}))
    for_ada.refresh_from_db()
    assert (for_ada.state, for_ada.executor) == ("pending", "agent:ada")
    assert Task.objects.get(requester="agent:eve").state == "cancelled"
