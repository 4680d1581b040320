"""Messages that the peer refuses for good: nobody waits for what will not come."""

import pytest
from django.utils import timezone

from agents_app.protocol.payloads import Decision, ErrorObject, TaskStatusUpdate
from tasks_app import delivery, desk, inbox, ledger, lifecycle, runner
from tasks_app.desk import Shown
from tasks_app.models import Delivery, Question, Task
from tasks_app.presence.posting import envelope_for
from tasks_app.sweep import sweep
from tests.factories import log, open_question, operator, submitted
from tests.tasks.delivery.letters import Friend

pytestmark = pytest.mark.django_db


@pytest.fixture
def friend(db) -> Friend:
    """A peer with a mailbox, there and able to paint."""
    friend = Friend("friend")
    offer = {"supported_task_types": [{"type": "paint"}]}
    friend.change(capabilities=offer, heartbeat_at=timezone.now())
    return friend


@pytest.fixture
def refuse(friend):
    """The friend refuses the newest message of this type."""

    def refuse(kind: str, code: int) -> None:
        found = Delivery.objects.filter(event=f"p2p:{kind}").latest("created_at")
        error = ErrorObject(code=code, message="No.")
        delivery.refuse(friend.row, str(found.pk), error)

    return refuse


@pytest.fixture
def hers(friend):
    """Begins a task that the friend asks of us, until it waits or ends."""

    def begin(task_type: str, **payload: object) -> Task:
        words = {"task_id": "t-1", "task_type": task_type, "payload": payload}
        _say(friend, "task_request", words)
        runner.drain("default")
        return Task.objects.get(requester=friend.row.address)

    return begin


@pytest.fixture
def ours(friend, caller):
    """A task of our caller that the friend executes."""
    return submitted(caller, "paint")


def _say(friend, kind, payload):
    """A message of the friend that has its effect."""
    known = envelope_for(friend.row, TaskStatusUpdate(task_id="x", status="executing"))
    fields = {"sender": friend.row.address, "recipient": "agent:synapse"}
    fields |= {"type": f"p2p:{kind}", "payload": payload}
    envelope = known.model_validate(known.to_json() | fields)
    answer = inbox.receive(friend.row, envelope, envelope.to_bytes())
    assert answer.code is None, answer.body


def _asks(friend, task, question) -> Question:
    _say(friend, question, {"task_id": task.wire_id, **QUESTIONS[question]})
    return open_question(task)


QUESTIONS = {
    "task_need_info": {"missing_fields": ["colour"], "reason": "Which?"},
    "task_need_human": {"escalation_level": 1, "reason": {"summary": "Fine?"}},
}


@pytest.mark.parametrize("kind", ["task_need_info", "task_need_human"])
def test_it_fails_a_task_whose_question_is_refused(hers, refuse, kind) -> None:
    task = hers("probe_" + kind.removeprefix("task_"))
    assert task.state in ("info_needed", "need_human")
    refuse(kind, 6002)
    task.refresh_from_db()
    assert (task.state, task.error["code"]) == ("failed", 6006)
    assert task.error["details"] == {
        "type": f"p2p:{kind}",
        "refused": {"code": 6002, "message": "No."},
    }
    assert Question.objects.get().state == "withdrawn"
    assert log(task)[-1] == "task_failed"
    assert Delivery.objects.filter(event="p2p:task_failed", state="waiting").exists()


def test_it_leaves_a_question_open_that_replaced_the_refused_one(
    hers, refuse, friend
) -> None:
    task = hers("probe_need_human")
    Question.objects.update(message_id="a-later-one")
    refuse("task_need_human", 6002)
    task.refresh_from_db()
    assert task.state == "need_human"


@pytest.mark.parametrize("kind", ["task_confirm", "task_status_update"])
def test_it_goes_on_when_news_are_refused(hers, refuse, kind) -> None:
    task = hers("probe_need_human")
    before = Task.objects.values().get()
    refuse(kind, 1011)
    assert Task.objects.values().get() == before
    assert task.state == "need_human"


def test_it_ends_the_task_at_a_requester_that_refuses_its_result(hers, refuse) -> None:
    task = hers("probe_echo", text="hello")
    refuse("task_complete", 1018)
    task.refresh_from_db()
    assert (task.state, log(task)[-2:]) == (
        "completed",
        ["task_complete", "task_failed"],
    )
    told = task.messages.get(type="p2p:task_failed").payload["error"]
    assert (told["code"], told["details"]["refused"]["code"]) == (6006, 1018)
    refuse("task_failed", 1018)
    assert log(task)[-1] == "task_failed"
    assert log(task).count("task_failed") == 1


@pytest.mark.parametrize("code", [2001, 2002])
def test_it_says_no_more_when_the_requester_had_its_end(hers, refuse, code) -> None:
    task = hers("probe_echo", text="hello")
    refuse("task_complete", code)
    assert log(task)[-1] == "task_complete"


def test_it_stops_an_executor_that_cannot_take_the_answer(ours, friend, refuse) -> None:
    _asks(friend, ours, "task_need_info")
    desk.provide(ours.id, {"colour": "blue"}, by=f"caller:{ours.caller_id}")
    refuse("task_info_provided", 1011)
    task = Task.objects.get(pk=ours.id)
    assert (task.state, task.error["code"]) == ("failed", 6006)
    assert task.error["details"]["refused"]["code"] == 1011
    failed = task.messages.get(type="p2p:task_failed")
    assert failed.sender == "agent:synapse", "nobody speaks in its name"
    assert Delivery.objects.filter(event="p2p:task_cancel", state="waiting").exists()


def test_it_stops_one_that_cannot_take_a_part_of_the_answer(
    ours, friend, refuse
) -> None:
    fields = {"missing_fields": ["colour", "size"], "reason": "?"}
    _say(friend, "task_need_info", {"task_id": ours.wire_id, **fields})
    desk.provide(ours.id, {"colour": "blue"}, by=f"caller:{ours.caller_id}")
    refuse("task_info_provided", 1011)
    assert Task.objects.get(pk=ours.id).state == "failed"
    assert Question.objects.get().state == "withdrawn"


def _decided(friend, task) -> None:
    question = _asks(friend, task, "task_need_human")
    shown = Shown(question_id=question.pk, version=question.version)
    desk.decide(shown, Decision(action="approve"), operator())


def test_g34_an_executor_that_went_on_before_the_answer_is_left_alone(
    ours, friend, refuse
) -> None:
    _decided(friend, ours)
    _asks(friend, ours, "task_need_info")
    refuse("human_decision", 2014)
    assert Task.objects.get(pk=ours.id).state == "info_needed"
    assert open_question(ours)


@pytest.mark.parametrize("code", [2002, 2013, 2014, 3001])
def test_g34_an_executor_whose_next_word_is_on_its_way_has_some_time(
    ours, friend, refuse, code, settings
) -> None:
    _decided(friend, ours)
    refuse("human_decision", code)
    task = Task.objects.get(pk=ours.id)
    left = (task.due_at - timezone.now()).total_seconds()
    assert task.state == "human_approved"
    assert left <= settings.SYNAPSE_PEER_GRACE_SECONDS
    _say(friend, "task_complete", {"task_id": ours.wire_id, "result": {}})
    assert Task.objects.get(pk=ours.id).state == "completed"


def test_it_fails_a_request_that_nobody_takes_with_the_reason(ours, refuse) -> None:
    refuse("task_request", 4002)
    sweep()
    error = Task.objects.get(pk=ours.id).error
    assert error["code"] == 6006
    assert error["details"] == {
        "type": "p2p:task_request",
        "agent": "agent:friend",
        "refused": {"code": 4002, "message": "No."},
    }


def test_it_offers_a_refused_request_to_the_next_agent(ours, refuse) -> None:
    other = Friend("other")
    offer = {"supported_task_types": [{"type": "paint"}]}
    other.change(capabilities=offer, heartbeat_at=timezone.now())
    refuse("task_request", 4001)
    sweep()
    task = Task.objects.get(pk=ours.id)
    assert (task.executor, task.state) == ("agent:other", "pending")


@pytest.mark.parametrize("kind", ["task_cancel", "task_ack"])
def test_it_leaves_an_ended_task_alone_when_its_last_words_are_refused(
    ours, friend, refuse, kind
) -> None:
    if kind == "task_ack":
        _say(friend, "task_complete", {"task_id": ours.wire_id, "result": {}})
        error = ErrorObject(code=1011, message="No.")
        delivery.refuse(friend.row, "none", error)
        state = "completed"
    else:
        lifecycle.cancel(ours.id, by=f"caller:{ours.caller_id}")
        refuse("task_cancel", 1011)
        state = "cancelled"
    assert ledger.load(ours.id).state == state
