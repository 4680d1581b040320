"""Our messages in the mailbox of a peer that cannot call us: fetched, then answered."""

import json
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command

from agents_app import outbound
from agents_app.models import Agent
from agents_app.outbound import Reply, Trouble
from agents_app.protocol import signing
from tasks_app import collecting, presence, queue
from tasks_app.inbox import pace
from tasks_app.models import Received, Task
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import NODE, Peer, refused

pytestmark = pytest.mark.django_db
ENDPOINT = "https://ada.example/a2a/messages"


class Mailbox:
    """Kept by ada for us, in pages of two; stands in for the network."""

    def __init__(self, peer: Peer):
        self.peer = peer
        self.waiting: list[dict] = []
        self.heard: list[dict] = []
        self.asked: list[str | None] = []
        self.deaf = False
        self.signer = peer
        self.id_of_answer: str | None = None

    def get(self, url, *, headers, **limits):
        secrets = [self.peer.secret]
        asked = signing.verify(headers, b"", secrets, now=datetime.now(UTC))
        assert headers["x-synapse-agent"] == NODE
        after = parse_qs(urlsplit(url).query).get("after", [None])[0]
        self.asked.append(after)
        body = json.dumps(self.page(after), indent=1).encode()
        signed = self.signer.signed(body, self.id_of_answer or asked)
        return Reply(status=200, headers=signed, body=body)

    def page(self, after):
        rows = list(self.waiting)
        ids = [row["message_id"] for row in self.everything]
        if after is not None:
            seen = ids[: ids.index(after) + 1]
            rows = [row for row in rows if row["message_id"] not in seen]
        following = rows[1]["message_id"] if len(rows) > 2 else None
        return {"success": True, "messages": rows[:2], "next": following}

    def post(self, url, *, body, headers, **limits):
        signed = signing.verify(
            headers, body, [self.peer.secret], now=datetime.now(UTC)
        )
        answer = json.loads(body)
        assert (url, signed) == (ENDPOINT, answer["message_id"])
        if self.deaf:
            return Reply(error=Trouble.TIMEOUT)
        self.heard.append(answer)
        about = answer["payload"]["message_id"]
        self.waiting = [row for row in self.waiting if row["message_id"] != about]
        return Reply(status=200)

    def put(self, *envelopes):
        self.waiting += envelopes
        self.everything = list(self.waiting)

    def answers(self):
        return [(row["type"], row["payload"]["message_id"]) for row in self.heard]


@pytest.fixture
def mailbox(db, monkeypatch) -> Mailbox:
    box = Mailbox(Peer("ada", endpoint=ENDPOINT, fetch=True))
    box.put()
    monkeypatch.setattr(outbound, "get", box.get)
    monkeypatch.setattr(outbound, "post", box.post)
    return box


def asks(box: Mailbox, number: int = 1, **fields) -> dict:
    return box.peer.envelope("task_request", request(f"t-{number}"), **fields)


def test_it_takes_a_message_and_acknowledges_it(mailbox):
    envelope = asks(mailbox)
    mailbox.put(envelope)
    collecting.collect("ada")
    assert Task.objects.get().requester_task_id == "t-1"
    assert mailbox.answers() == [("p2p:ack", envelope["message_id"])]
    assert mailbox.waiting == []


def test_it_goes_on_from_page_to_page(mailbox):
    envelopes = [asks(mailbox, number) for number in range(5)]
    mailbox.put(*envelopes)
    collecting.collect("ada")
    ids = [envelope["message_id"] for envelope in envelopes]
    assert mailbox.asked == [None, ids[1], ids[3]]
    assert [about for _, about in mailbox.answers()] == ids


def test_it_leaves_the_rest_to_another_round(
    mailbox, bells, django_capture_on_commit_callbacks
):
    mailbox.put(*(asks(mailbox, number) for number in range(12)))
    with django_capture_on_commit_callbacks(execute=True):
        collecting.collect("ada")
    assert len(mailbox.asked) == 5
    assert ("synapse.collect", ["ada"], "courier", 0) in bells


def test_it_does_not_hurry_when_nobody_hears_its_answers(
    mailbox, bells, django_capture_on_commit_callbacks
):
    mailbox.put(*(asks(mailbox, number) for number in range(12)))
    mailbox.deaf = True
    with django_capture_on_commit_callbacks(execute=True):
        collecting.collect("ada")
    assert [bell for bell in bells if bell[0] == "synapse.collect"] == []


def test_it_waits_for_the_next_round_when_nobody_answers(mailbox, monkeypatch, rows):
    before = rows()
    reply = Reply(error=Trouble.TIMEOUT)
    monkeypatch.setattr(outbound, "get", lambda *_, **__: reply)
    collecting.collect("ada")
    assert rows() == before


def test_g31_it_takes_a_message_once_and_answers_it_again(mailbox):
    mailbox.put(asks(mailbox))
    mailbox.deaf = True
    collecting.collect("ada")
    mailbox.deaf = False
    collecting.collect("ada")
    assert Task.objects.count() == 1
    assert [kind for kind, _ in mailbox.answers()] == ["p2p:ack"]


def test_it_refuses_for_good_what_has_no_effect(mailbox):
    envelope = mailbox.peer.envelope("task_cancel", {"task_id": "none", "reason": ""})
    mailbox.put(envelope)
    collecting.collect("ada")
    assert mailbox.answers() == [("p2p:nack", envelope["message_id"])]
    assert mailbox.heard[0]["payload"]["error"]["code"] == 2001


def test_it_leaves_what_may_have_effect_later_and_what_follows_it(mailbox):
    mailbox.put(
        asks(mailbox, 1),
        mailbox.peer.envelope("task_cancel", {"task_id": "t-1", "reason": "no"}),
        asks(mailbox, 2),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            collecting.rounds.inbox, "receive", busy_for("task_request", "t-1")
        )
        collecting.collect("ada")
    assert [row["payload"]["task_id"] for row in mailbox.waiting] == ["t-1", "t-1"]
    collecting.collect("ada")
    assert mailbox.waiting == []
    assert Task.objects.get(requester_task_id="t-1").state == "cancelled"


def busy_for(kind, task_id):
    """The inbox while this message cannot be taken for a moment."""
    receive = collecting.rounds.inbox.receive

    def answer(peer, envelope, raw):
        if (envelope.type, envelope.payload["task_id"]) == (f"p2p:{kind}", task_id):
            return collecting.rounds.inbox.Answer(body=b"{}", code=4007)
        return receive(peer, envelope, raw)

    return answer


@pytest.mark.parametrize("broken", ["other secret", "other request"])
def test_g30_an_answer_that_was_not_signed_for_us_changes_nothing(
    mailbox, rows, caplog, broken
):
    mailbox.put(asks(mailbox))
    if broken == "other secret":
        mailbox.signer = Peer("eve", known=False)
    else:
        mailbox.id_of_answer = "an-older-request"
    before = rows()
    collecting.collect("ada")
    assert (rows(), mailbox.heard) == (before, [])
    assert "The mailbox at ada cannot be read" in caplog.text


def test_it_takes_nothing_that_another_agent_says(mailbox):
    mailbox.put(asks(mailbox, sender="agent:eve"))
    collecting.collect("ada")
    assert not Task.objects.exists()
    assert not Received.objects.exists()
    assert mailbox.heard[0]["type"] == "p2p:nack"


def test_it_refuses_what_is_no_envelope(mailbox):
    mailbox.put(asks(mailbox, version="9.0.0"), asks(mailbox, 2))
    collecting.collect("ada")
    assert [row["type"] for row in mailbox.heard] == ["p2p:nack", "p2p:ack"]


def test_it_stops_at_a_page_of_rubbish_and_says_so_once_g38(mailbox, caplog):
    junk = [asks(mailbox, number, version="9.0.0") for number in range(50)]
    mailbox.page = lambda after: {"success": True, "messages": junk, "next": None}
    collecting.collect("ada")
    assert len(mailbox.heard) == collecting.rounds.MAX_REFUSED
    warnings = [row for row in caplog.records if row.levelname == "WARNING"]
    assert len(warnings) == 1
    assert "10 messages at ada are refused" in warnings[0].getMessage()


@pytest.mark.parametrize("number", [101, 1_000_000])
def test_it_reads_no_page_that_is_longer_than_one_may_be_g38(mailbox, caplog, number):
    mailbox.page = lambda after: {"messages": [[]] * number, "next": None}
    collecting.collect("ada")
    assert mailbox.heard == []
    assert caplog.text.count("The mailbox at ada cannot be read") == 1


def test_it_counts_what_it_fetches_against_the_pace_of_the_peer_g38(
    mailbox, settings, monkeypatch
):
    monkeypatch.setattr(pace, "buckets", pace.Buckets())
    settings.SYNAPSE_PEER_MESSAGES_PER_MINUTE = 3
    mailbox.put(*(asks(mailbox, number) for number in range(5)))
    collecting.collect("ada")
    assert Task.objects.count() == 3
    assert len(mailbox.waiting) == 2
    later = pace.time.monotonic() + 60
    monkeypatch.setattr(pace.time, "monotonic", lambda: later)
    collecting.collect("ada")
    assert Task.objects.count() == 5


def test_it_asks_a_mailbox_that_hangs_more_seldom_g24(mailbox, monkeypatch):
    monkeypatch.setattr(collecting.rounds, "_HUNG_SECONDS", -1.0)
    monkeypatch.setattr("tasks_app.errands._FIRST_REST", 4.0)
    peer = Peer("slow", endpoint=ENDPOINT, fetch=True)
    asked = []
    monkeypatch.setattr(
        outbound,
        "get",
        lambda url, **limits: asked.append(limits) or Reply(error=Trouble.TIMEOUT),
    )
    for _ in range(3):
        collecting.collect("slow")
    assert [limits["party"] for limits in asked] == [peer.address]
    assert asked[0]["at_once"] == 4


def test_g30_nobody_brings_back_to_us_a_get_that_we_signed(mailbox, monkeypatch):
    """The secret is the same on both sides: it would look like one of the peer."""
    signed = []

    def listen(url, *, headers, **limits):
        signed.append(headers)
        return Reply(error=Trouble.TIMEOUT)

    monkeypatch.setattr(outbound, "get", listen)
    collecting.collect("ada")
    reflected = {**signed[0], "x-synapse-agent": mailbox.peer.address}
    assert refused(mailbox.peer.get("/messages", reflected)) == 5007
    assert refused(mailbox.peer.get("/tasks/t-1", reflected)) == 5007


@pytest.mark.parametrize("what", ["disabled", "no fetch", "no endpoint"])
def test_it_asks_nobody_else(mailbox, bells, django_capture_on_commit_callbacks, what):
    change = {
        "disabled": {"state": "disabled"},
        "no fetch": {"fetch": False},
        "no endpoint": {"endpoint": ""},
    }[what]
    Agent.objects.update(**change)
    with django_capture_on_commit_callbacks(execute=True):
        collecting.ring_all()
    collecting.collect("ada")
    assert bells == mailbox.asked == []


def test_it_looks_when_beat_says_so_and_after_a_heartbeat(
    mailbox, bells, django_capture_on_commit_callbacks, monkeypatch
):
    with django_capture_on_commit_callbacks(execute=True):
        collecting.ring_all()
    monkeypatch.setattr(outbound, "post", lambda *_, **__: Reply(status=200))
    with django_capture_on_commit_callbacks(execute=True):
        presence.greet("ada")
    assert bells == [("synapse.collect", ["ada"], "courier", 0)] * 2


def test_it_lets_the_next_round_begin_even_when_this_one_failed(mailbox, monkeypatch):
    down = []
    monkeypatch.setattr(queue, "_take_down", down.append)
    mailbox.signer = Peer("eve", known=False)
    collecting.collect("ada")
    assert down == ["synapse.collect.ada"]


def test_it_registers_one_to_fetch_from_by_command(capsys):
    with pytest.raises(CommandError, match="fetch: needs an endpoint"):
        call_command("register_agent", "ada", "--fetch")
    call_command(
        "register_agent", "ada", "--fetch", "--endpoint", "https://192.0.78.9/a2a"
    )
    assert Agent.objects.get().fetch is True
    assert "Fetching:" in capsys.readouterr().out
