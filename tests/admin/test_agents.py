"""Agents: registered, rotated, pinged; no page waits for the network."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from agents_app import outbound
from agents_app.models import Agent
from agents_app.protocol.payloads import TaskRequest
from tasks_app import delivery, inbox, runner
from tasks_app.models import Delivery, Question, Received
from tasks_app.presence.posting import envelope_for
from tests.factories import row, set_row, submitted
from tests.tasks.presence.cards import live
from tests.tasks.presence.conftest import north, south

__all__ = ["north", "south"]
pytestmark = pytest.mark.django_db
ADD = reverse("admin:agents_app_agent_add")
LIST = reverse("admin:agents_app_agent_changelist")
NEEDED = {
    "ping": "ping_agent",
    "ask": "ping_agent",
    "enable": "change_agent",
    "drain": "change_agent",
    "disable": "change_agent",
    "endpoint": "change_agent",
    "drop": "rotate_agent_secret",
    "rotate": "rotate_agent_secret",
}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch) -> None:
    def refuse(*args, **kwargs):
        raise AssertionError("a page waits for the network")

    monkeypatch.setattr(outbound, "post", refuse)
    monkeypatch.setattr(outbound, "get", refuse)


def url(name: str, agent: Agent) -> str:
    return reverse(f"admin:agents_app_agent_{name}", args=[agent.pk])


def secrets_on(page) -> list[str]:
    text = page.content.decode()
    return re.findall(r'class="sy-code sy-secret"[^>]*>([^<]+)</pre>', text)


def test_it_registers_an_agent_and_shows_its_secret_once(office) -> None:
    page = office.post(ADD, {"id": "east.1", "name": "East", "endpoint": ""})
    agent = Agent.objects.get()
    assert (agent.pk, agent.name) == ("east.1", "East")
    assert secrets_on(page) == list(delivery.secrets_of(agent))
    assert "no-store" in page.headers["cache-control"]
    assert not secrets_on(office.get(url("change", agent)))


@pytest.mark.parametrize(
    "given",
    [
        {"id": ""},
        {"id": "a b"},
        {"id": "synapse"},
        {"id": "north"},
        {"id": "x", "endpoint": "ftp://example.com"},
        {"id": "x", "endpoint": "http://10.0.0.1/"},
    ],
)
def test_it_says_what_cannot_be_registered(office, north, given) -> None:
    answer = office.post(ADD, given)
    assert answer.status_code == 422
    assert "sy-error" in answer.content.decode()
    assert Agent.objects.count() == 1


def test_it_keeps_the_old_secret_until_it_is_dropped(office, north) -> None:
    [old] = delivery.secrets_of(north)
    [new] = secrets_on(office.post(url("rotate", north)))
    assert delivery.secrets_of(Agent.objects.get()) == (new, old)
    office.post(url("drop", north))
    assert delivery.secrets_of(Agent.objects.get()) == (new,)


def test_it_pings_by_a_job(
    office, north, bells, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        office.post(url("ping", north))
    assert bells == [("synapse.greet", ["north"], "courier", 0)]


def test_it_asks_for_capabilities_by_the_outbox(office, north) -> None:
    office.post(url("ask", north))
    assert Delivery.objects.get().event == "p2p:capability_query"


@pytest.mark.parametrize(
    ("name", "state"),
    [("drain", "draining"), ("disable", "disabled"), ("enable", "enabled")],
)
def test_it_changes_the_state(office, north, boss, name, state) -> None:
    office.post(url(name, north))
    assert Agent.objects.get().state == state
    assert LogEntry.objects.get(user=boss).object_id == "north"


def test_it_fetches_from_a_peer_that_cannot_be_called_by(office, north) -> None:
    here = {"endpoint": "http://127.0.0.1:8000/"}
    office.post(url("endpoint", north), here | {"fetch": "on"})
    assert Agent.objects.get().fetch
    page = office.get(url("change", north)).content.decode()
    assert re.search(r'<input[^>]*name="fetch"[^>]*checked', page)
    office.post(url("endpoint", north), here)
    assert not Agent.objects.get().fetch


def test_it_fetches_from_nowhere(office, north) -> None:
    answer = office.post(url("endpoint", north), {"endpoint": "", "fetch": "on"})
    assert answer.status_code == 422
    assert "needs an endpoint" in answer.content.decode()
    assert not Agent.objects.get().fetch


def test_it_registers_an_agent_to_fetch_from(office) -> None:
    given = {"id": "east", "endpoint": "https://93.184.216.34/", "fetch": "on"}
    assert office.post(ADD, given).status_code == 200
    assert Agent.objects.get().fetch


def test_it_sets_the_endpoint(office, north) -> None:
    office.post(url("endpoint", north), {"endpoint": ""})
    assert Agent.objects.get().endpoint == ""
    refused = office.post(url("endpoint", north), {"endpoint": "http://10.0.0.1/"})
    assert refused.status_code == 422
    assert Agent.objects.get().endpoint == ""


def test_it_says_from_whom_we_fetch(office, north) -> None:
    text = "we fetch our messages"
    assert text not in office.get(url("change", north)).content.decode()
    Agent.objects.update(fetch=True)
    assert text in office.get(url("change", north)).content.decode()
    assert "we fetch" in office.get(LIST).content.decode()


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_it_wants_the_right_for_each_button(enter, staff, north, name) -> None:
    before = Agent.objects.values().get()
    others = set(NEEDED.values()) - {NEEDED[name]} | {"view_agent"}
    client = enter(staff(*others))
    assert client.post(url(name, north), {"endpoint": ""}).status_code == 403
    assert Agent.objects.values().get() == before


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_it_wants_post_and_a_token(boss, north, name) -> None:
    """G70."""
    before = Agent.objects.values().get()
    client = Client(enforce_csrf_checks=True)
    client.force_login(boss)
    assert client.get(url(name, north)).status_code == 405
    assert client.post(url(name, north), {"endpoint": ""}).status_code == 403
    assert Agent.objects.values().get() == before


def test_it_offers_no_button_to_who_may_only_look(enter, staff, north) -> None:
    page = enter(staff("view_agent")).get(url("change", north)).content.decode()
    assert "agent:north" in page
    for text in ("Ping now", "Make a new secret", "Set endpoint", "Drain"):
        assert text not in page


def test_it_lists_presence_load_and_types(office, north, south) -> None:
    live(north, "translate", "sing", active=3, capacity=9)
    page = office.get(LIST).content.decode()
    for text in ("3 of 9, ok", "endpoint", "mailbox", "never", ">2<"):
        assert text in page


def test_it_shows_the_card_and_recent_messages(office, north) -> None:
    live(north, {"type": "translate", "description": "<b>Any</b> language"})
    Received.objects.create(
        sender=north.address, message_id="m-1", sha256="", reply="", code=2001,
        created_at=north.created_at,
    )  # fmt: skip
    page = office.get(url("change", north)).content.decode()
    for text in ("translate", "p2p:capability_query", "m-1", "nack 2001", "Online"):
        assert text in page
    assert "<b>Any</b>" not in page


def test_it_deletes_and_edits_no_agent(office, north) -> None:
    before = Agent.objects.values().get()
    delete = reverse("admin:agents_app_agent_delete", args=["north"])
    assert office.post(delete, {"post": "yes"}).status_code == 403
    office.post(url("change", north), {"state": "disabled", "_save": "1"})
    assert Agent.objects.values().get() == before


def test_it_shows_a_message_about_no_task(office, north) -> None:
    office.post(url("ask", north))
    sent = Delivery.objects.get()
    page = office.get(reverse("admin:tasks_app_delivery_change", args=[sent.pk]))
    assert "p2p:capability_query" in page.content.decode()


@pytest.fixture
def foreign(declare, north) -> Question:
    """A question of our handler that the people of a peer decide."""

    def handler(ctx):
        return {"ok": ctx.need_human(level=1, reason={"summary": "Pay?"}).approved}

    declare(handler)
    words = TaskRequest(task_id="t-1", task_type="test_type", payload={})
    envelope = envelope_for(north, words).model_copy(
        update={"sender": north.address, "recipient": "agent:synapse"}
    )
    assert inbox.receive(north, envelope, envelope.to_bytes()).code is None
    runner.drain("default")
    return Question.objects.get()


@pytest.mark.parametrize("box", ["open", "mine", "unclaimed", "decided"])
def test_it_keeps_what_a_peer_decides_out_of_the_inbox(desk, foreign, box) -> None:
    listed = reverse("admin:tasks_app_humanrequest_changelist")
    page = desk.get(listed, {} if box == "open" else {"box": box})
    assert not page.context["cl"].result_list


def test_it_shows_what_a_peer_decides_but_takes_no_answer(desk, foreign) -> None:
    page = reverse("admin:tasks_app_humanrequest_decide", args=[foreign.pk])
    text = desk.get(page).content.decode()
    assert "The people of <b>agent:north</b>" in text
    data = {"question": foreign.pk, "version": 1, "action": "approve"}
    assert desk.post(page, data).status_code == 403
    foreign.refresh_from_db()
    assert foreign.is_open


def test_it_stops_the_task_of_a_peer_and_says_what_that_means(office, foreign) -> None:
    change = reverse("admin:tasks_app_task_change", args=[foreign.task_id])
    shown = office.get(change).content.decode()
    assert "test_type for <bdi>agent:north</bdi>" in shown
    assert "Stop…</a>" in shown
    stop = reverse("admin:tasks_app_task_cancel", args=[foreign.task_id])
    asked = office.get(stop).content.decode()
    assert "it is not ours to cancel" in asked
    assert "The agent that asked for it sees it." in asked
    assert office.post(stop, {"reason": "No paper."}).status_code == 302
    foreign.task.refresh_from_db()
    assert foreign.task.state == "failed"
    assert foreign.task.error["message"] == "No paper."
    told = Delivery.objects.filter(peer="north", event="p2p:task_failed")
    assert told.exists()


def test_it_cancels_a_task_at_a_peer_and_says_what_that_means(
    office, caller, north
) -> None:
    task = submitted(caller)
    set_row(task, executor=north.address, ready_at=None, queue_key=None)
    cancel = reverse("admin:tasks_app_task_cancel", args=[task.id])
    assert "is told to stop" in office.get(cancel).content.decode()
    assert office.post(cancel).status_code == 302
    assert row(task).state == "cancelled"
    assert Delivery.objects.filter(peer="north", event="p2p:task_cancel").exists()
