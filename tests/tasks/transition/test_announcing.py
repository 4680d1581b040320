"""Which changes owe the caller a callback (P2A 8.1, 10.1, decisions 36)."""

import json

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import (
    Action,
    DecidedBy,
    Decision,
    ErrorObject,
    HumanDecision,
    TaskComplete,
    TaskInfoProvided,
    TaskNeedHuman,
    TaskNeedInfo,
)
from agents_app.protocol.states import TaskState
from tasks_app.transition import attempts, desk
from tests.factories import NOW, POLICY, TASK_ID, after, running, snapshot, waiting

WANTS = {"callback_url": "https://Example.com:8443/hook?x=1", "callback_sequence": 4}
ALL = WANTS | {"callback_events": ("progress", "action_required")}
AT = {"now": after(5), "policy": POLICY}


def begin(task):
    return attempts.begin(task, worker="w", **AT)


def report(task, now=None):
    return attempts.report(
        task, progress=40, message="", eta=None, now=now or after(5), policy=POLICY
    )


def complete(task):
    done = TaskComplete(task_id=str(TASK_ID), result={"answer": "ü"})
    return attempts.complete(task, done, **AT)


def ask_info(task):
    question = TaskNeedInfo.parse(
        {"task_id": str(TASK_ID), "missing_fields": ["colour"], "reason": "Which?"}
    )
    return attempts.ask(task, question, position=0, **AT)


def ask_human(task):
    question = TaskNeedHuman(task_id=str(TASK_ID), escalation_level=1, reason={})
    return attempts.ask(task, question, position=0, **AT)


def announced(change):
    return [out.event for out in change.outgoing]


def body(change):
    return json.loads(change.outgoing[0].body)


def test_it_announces_nothing_to_who_polls():
    for change in (begin(snapshot()), complete(running()), ask_info(running())):
        assert change.outgoing == ()
        assert change.after.callback_sequence == 0


def test_it_announces_every_change_of_the_public_status():
    assert announced(begin(snapshot(**WANTS))) == ["processing"]
    assert announced(complete(running(**WANTS))) == ["completed"]
    error = ErrorObject.of(SynapseError(Code.HANDLER_FAILED))
    assert announced(attempts.fail(running(**WANTS), error, **AT)) == ["failed"]
    cancelled = desk.cancel(running(**WANTS), by="caller:1", reason="", **AT)
    assert announced(cancelled) == ["cancelled"]


def test_it_announces_nothing_when_the_public_status_stays():
    assert announced(begin(snapshot(state=TaskState.INFO_PROVIDED, **WANTS))) == []
    again = attempts.try_again(
        running(**WANTS), reason="r", delay_s=5, outcome="retry", **AT
    )
    assert announced(again) == []


def test_it_numbers_callbacks_per_task():
    """G22."""
    change = complete(running(**WANTS))
    assert change.outgoing[0].sequence == change.after.callback_sequence == 5


def test_it_marks_the_terminal_one():
    assert complete(running(**WANTS)).outgoing[0].terminal
    assert not begin(snapshot(**WANTS)).outgoing[0].terminal


def test_it_announces_a_completion_that_skips_all_before_it_once():
    assert announced(complete(snapshot(**WANTS))) == ["completed"]


def test_it_always_announces_missing_information():
    """Only the caller can answer."""
    change = ask_info(running(**WANTS))
    assert announced(change) == ["info_needed"]
    assert body(change)["missing_fields"] == [{"name": "colour", "required": True}]
    assert body(change)["status"] == "processing"


def test_it_announces_that_information_is_missing_only_when_it_is_asked_for():
    words = TaskInfoProvided(task_id=str(TASK_ID), provided_info={})
    partial = desk.provide(
        waiting(TaskState.INFO_NEEDED, **ALL),
        words,
        complete=False,
        together={},
        by="caller:1",
        **AT,
    )
    assert announced(partial) == []


def test_it_announces_a_wait_for_people_to_who_asked_for_it():
    assert announced(ask_human(running(**ALL))) == ["action_required"]
    assert announced(ask_human(running(**WANTS))) == []


def test_it_does_not_announce_a_decision():
    words = HumanDecision(
        task_id=str(TASK_ID),
        decision=Decision(action=Action.REJECT),
        decided_by=DecidedBy(user_id="olga", role="operator"),
    )
    task = waiting(TaskState.NEED_HUMAN, **ALL)
    assert announced(desk.decide(task, words, by="desk:olga", **AT)) == []


def test_it_announces_progress_to_who_asked_for_it():
    assert announced(report(running(**ALL))) == ["progress"]
    assert announced(report(running(**WANTS))) == []
    assert announced(report(running(progress=40, **ALL))) == []


def test_it_announces_progress_at_most_once_a_second():
    """Decisions 36."""
    task, sent = running(**ALL), []
    for tenth in range(100, 130):
        change = attempts.report(
            task,
            progress=tenth - 90,
            message="",
            eta=None,
            now=after(tenth / 10),
            policy=POLICY,
        )
        task = change.after
        sent += [out.created_at for out in change.outgoing]
    assert sent == [after(10), after(11), after(12)]


def test_it_says_what_the_seed_lists_and_what_we_add():
    """P2A 8.1 to the letter; the rest is additive."""
    change = complete(running(external_task_id="ext-1", **WANTS))
    assert body(change) == {
        "task_id": str(TASK_ID),
        "external_task_id": "ext-1",
        "status": "completed",
        "progress": 100,
        "result": {"answer": "ü"},
        "error": None,
        "timestamp": "2024-05-31T12:00:05.000Z",
        "a2a_state": "completed",
        "message": "Completed.",
        "sequence": 5,
        "missing_fields": None,
    }


def test_it_sends_to_the_address_of_the_task():
    out = begin(snapshot(**WANTS)).outgoing[0]
    assert out.url == "https://Example.com:8443/hook?x=1"
    assert out.endpoint == "https://example.com:8443"
    assert out.created_at == after(5) != NOW


def try_again(task):
    return attempts.try_again(task, reason="Lost.", delay_s=0, outcome="lost", **AT)


def fail(task):
    return attempts.fail(task, ErrorObject.of(SynapseError(Code.HANDLER_FAILED)), **AT)


def hand_back(task):
    return attempts.hand_back(task, **AT)


@pytest.mark.parametrize(
    "plan", [report, complete, ask_info, ask_human, try_again, fail, hand_back]
)
def test_it_sends_a_peer_all_that_is_said_to_it(plan):
    change = plan(running(requester="agent:north", requester_task_id="t-1"))
    said = [one.type for one in change.messages if one.recipient == "agent:north"]
    assert said == announced(change) != []
