"""GET /a2a/tasks/{task_id}: the status query of A2A chapter 8."""

import pytest

from agents_app.protocol import ids
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import acked, refused

pytestmark = pytest.mark.django_db


def _status(peer, task_id):
    response = peer.get(f"/tasks/{task_id}")
    assert response.status_code == 200, response.content
    return peer.read(response)


def test_it_tells_the_executor(ada, for_ada) -> None:
    update = {"task_id": str(for_ada.pk), "status": "executing", "progress": 40}
    assert acked(ada.say("task_status_update", update | {"message": "Painting."}))
    shown = _status(ada, for_ada.pk)
    assert shown["success"] is True
    assert shown["task_id"] == str(for_ada.pk)
    assert (shown["state"], shown["progress"]) == ("executing", 40)
    assert (shown["message"], shown["question"]) == ("Painting.", None)


def test_it_tells_the_requester_by_its_own_id(ada, drain) -> None:
    assert acked(ada.say("task_request", request("t-7")))
    drain()
    shown = _status(ada, "t-7")
    assert (shown["task_id"], shown["state"]) == ("t-7", "completed")
    assert shown["result"]["payload"] == {"a": 1}
    assert shown["error"] is None
    assert shown["completed_at"].endswith("Z")


def test_it_shows_the_open_question(ada, drain) -> None:
    asked = {**request("t-8", "probe_need_human"), "payload": {"level": 2}}
    assert acked(ada.say("task_request", asked))
    drain()
    question = _status(ada, "t-8")["question"]
    sent = ada.mailbox()["messages"][-1]["payload"]
    assert (question["kind"], question["escalation_level"]) == ("human", 2)
    assert question["request_id"] == sent["request_id"]


def test_it_shows_the_missing_fields(ada, for_ada) -> None:
    words = {"missing_fields": ["colour"], "reason": "?", "request_id": "q1"}
    asked = {"task_id": str(for_ada.pk), "version": 3} | words
    assert acked(ada.say("task_need_info", asked))
    question = _status(ada, for_ada.pk)["question"]
    assert (question["request_id"], question["version"]) == ("q1", 3)
    assert [field["name"] for field in question["missing_fields"]] == ["colour"]


@pytest.mark.parametrize(
    "task_id", ["hers", "nope", str(ids.new_id()), "%00", "x" * 500]
)
def test_it_knows_only_the_tasks_of_the_peer_g33(ada, eve, task_id) -> None:
    assert acked(ada.say("task_request", request("hers")))
    response = eve.get(f"/tasks/{task_id}")
    assert (refused(response), response.status_code) == (2001, 404)
    assert eve.read(response)["recipient"] == "agent:eve"


def test_it_refuses_who_did_not_sign(ada, for_ada) -> None:
    headers = ada.signed(b"x", "once") | {"x-synapse-agent": ada.address}
    assert refused(ada.get(f"/tasks/{for_ada.pk}", headers)) == 5007
