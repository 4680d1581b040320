"""GET /a2a/messages: what waits for a peer, until it says that it has it."""

import json
import re
import secrets

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app import delivery, lifecycle, presence
from tasks_app.models import Delivery
from tests.api.a2a.speaking import acked, refused
from tests.factories import submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def two_more(for_ada, caller) -> None:
    for _ in range(2):
        lifecycle.submit(submission(caller, "paint"))


def _ids(page) -> list[str]:
    return [message["message_id"] for message in page["messages"]]


def test_it_hands_out_envelopes_as_they_are_stored(ada, for_ada) -> None:
    response = ada.get("/messages")
    assert Delivery.objects.get().body.encode() in response.content
    page = ada.read(response)
    (message,) = page["messages"]
    assert (page["success"], page["next"]) == (True, None)
    assert message["type"] == "p2p:task_request"
    assert message["payload"]["task_id"] == str(for_ada.pk)


def test_it_signs_the_answer_under_the_id_of_the_request(ada, for_ada) -> None:
    headers = ada.signed(b"", "fresh-1") | {"x-synapse-agent": ada.address}
    response = ada.get("/messages", headers)
    assert response.headers["webhook-id"] == "fresh-1"
    assert ada.read(response)["messages"]


def test_it_hands_out_the_same_until_it_is_acknowledged(ada, for_ada) -> None:
    first = _ids(ada.mailbox())
    assert _ids(ada.mailbox()) == first
    assert acked(ada.say("ack", {"message_id": first[0]}))
    assert ada.mailbox()["messages"] == []
    stored = Delivery.objects.get()
    assert (stored.state, stored.next_try_at) == ("delivered", None)
    assert stored.ended_at is not None


def test_it_pages_in_order(ada, two_more) -> None:
    first = ada.mailbox(limit=2)
    rest = ada.mailbox(limit=2, after=first["next"])
    stored = Delivery.objects.order_by("created_at", "id").values_list("id", flat=True)
    assert _ids(first) + _ids(rest) == [str(pk) for pk in stored]
    assert (first["next"], rest["next"]) == (_ids(first)[-1], None)


def test_it_goes_on_after_a_message_that_was_acknowledged(ada, two_more) -> None:
    first = ada.mailbox(limit=1)
    assert acked(ada.say("ack", {"message_id": _ids(first)[0]}))
    assert len(ada.mailbox(after=first["next"])["messages"]) == 2


def test_it_limits_a_page_by_size_but_never_to_nothing(ada, two_more, settings) -> None:
    settings.SYNAPSE_MAX_BODY_SIZE = 10
    page = ada.mailbox()
    assert len(page["messages"]) == 1
    assert page["next"] == _ids(page)[0]


def test_it_shows_nobody_the_messages_of_another(ada, eve, for_ada) -> None:
    (message_id,) = _ids(ada.mailbox())
    assert eve.mailbox()["messages"] == []
    before = "01900000-0000-7000-8000-000000000000"
    for place in (before, message_id):
        assert eve.mailbox(after=place) == {
            "success": True,
            "messages": [],
            "next": None,
        }


def test_it_takes_no_acknowledgement_of_another_g33(ada, eve, for_ada) -> None:
    (message_id,) = _ids(ada.mailbox())
    assert acked(eve.say("ack", {"message_id": message_id}))
    assert _ids(ada.mailbox()) == [message_id]


def test_it_serves_a_peer_with_an_endpoint_too(ada, for_ada) -> None:
    ada.row.endpoint = "https://ada.example/a2a"
    ada.row.save()
    assert len(ada.mailbox()["messages"]) == 1


def test_it_gives_up_what_the_peer_refuses(ada, for_ada) -> None:
    (message_id,) = _ids(ada.mailbox())
    error = {"code": 4002, "message": "No such wall."}
    assert acked(ada.say("nack", {"message_id": message_id, "error": error}))
    stored = Delivery.objects.get()
    attempt = stored.attempts.get()
    assert (stored.state, attempt.error) == ("dead", "nack 4002")
    assert attempt.response == "No such wall."
    assert ada.mailbox()["messages"] == []


def test_it_keeps_what_the_peer_refuses_for_now(ada, for_ada, settings) -> None:
    settings.SYNAPSE_CALLBACK_SCHEDULE = (0, 5)
    (message_id,) = _ids(ada.mailbox())
    busy = {"message_id": message_id, "error": {"code": 4007, "message": "Busy."}}
    assert acked(ada.say("nack", busy))
    assert _ids(ada.mailbox()) == [message_id]
    assert acked(ada.say("nack", busy))
    assert ada.mailbox()["messages"] == []
    assert Delivery.objects.get().state == "dead"


@pytest.mark.parametrize("limit", ["0", "-1", "x", "\u0663", "1.5", ""])
def test_it_refuses_a_strange_limit(ada, limit) -> None:
    response = ada.get("/messages", limit=limit)
    assert refused(response) == 1011
    assert "limit" in ada.read(response)["payload"]["error"]["details"]["fields"]


def test_it_refuses_unknown_parameters(ada) -> None:
    assert refused(ada.get("/messages", since="x")) == 1017


def test_it_goes_on_after_a_heartbeat_that_was_replaced(ada, for_ada, caller) -> None:
    presence.beat()
    heartbeat = _ids(ada.mailbox())[-1]
    presence.beat()
    lifecycle.submit(submission(caller, "paint"))
    rest = ada.mailbox(after=heartbeat)["messages"]
    assert [one["type"] for one in rest] == ["p2p:heartbeat", "p2p:task_request"]


def test_it_counts_the_bytes_of_a_page(ada, settings, caller, for_ada) -> None:
    lifecycle.submit(submission(caller, "paint", payload={"wall": "ż" * 1000}))
    settings.SYNAPSE_MAX_BODY_SIZE = 2200
    assert len(ada.mailbox()["messages"]) == 1
    settings.SYNAPSE_MAX_BODY_SIZE = 4000
    assert len(ada.mailbox()["messages"]) == 2


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite knows no length beforehand"
)
def test_it_reads_no_body_that_is_not_on_the_page(ada, for_ada) -> None:
    """Else one peer with a full mailbox keeps a web process busy."""
    Delivery.objects.update(body=secrets.token_hex(2_000_000))
    with CaptureQueriesContext(connection) as asked:
        assert delivery.waiting_for(ada.row, after=None, limit=1, max_bytes=1).bodies
    sizes = asked[0]["sql"]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) {sizes}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    pages = [int(n) for n in re.findall(r"(?:hit|read)=(\d+)", plan)]
    assert max(pages) < 100, plan  # A body of 4 MB has 2000.


@pytest.mark.parametrize("after", ["x", "1", ""])
def test_it_refuses_a_strange_cursor(ada, after) -> None:
    assert refused(ada.get("/messages", after=after)) == 1011


def test_it_does_no_harm_to_read_twice_under_one_id_g31(ada, for_ada, rows) -> None:
    headers = ada.signed(b"", "once") | {"x-synapse-agent": ada.address}
    before = rows()
    first, again = ada.get("/messages", headers), ada.get("/messages", headers)
    assert (first.content, rows()) == (again.content, before)


@pytest.mark.parametrize("sender", ["agent:eve", "ada", "", "agent:\x00", "agent:ż"])
def test_it_opens_the_mailbox_to_its_owner_only(ada, eve, for_ada, sender) -> None:
    headers = ada.signed(b"", "once") | {"x-synapse-agent": sender}
    response = ada.get("/messages", headers)
    assert refused(response) == 5007
    assert json.loads(response.content)["payload"]["error"]["details"] == {}


def test_it_wants_a_sender(ada) -> None:
    assert refused(ada.get("/messages", ada.signed(b"", "once"))) == 5007


def test_it_signs_no_more_than_the_id_that_a_peer_chose(ada) -> None:
    """Quotes are allowed in an id; in our answer to it they end no string (G32)."""
    asked = {"task_id": "t-1", "task_type": "probe_echo", "payload": {}}
    assert acked(ada.say("task_request", asked))
    hostile = '"},"injected":"\\'
    assert acked(ada.say("task_cancel", {"task_id": "t-1"}, message_id=hostile))
    (message,) = [m for m in ada.mailbox()["messages"] if m["type"] == "p2p:task_ack"]
    assert message["in_reply_to"] == hostile
    assert "injected" not in message
