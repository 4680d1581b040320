"""An agent of the kit against a node that only records: no Django anywhere."""

from types import SimpleNamespace

import pytest

from agents_app.kit import Cancelled
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import (
    Ack,
    CapabilityQuery,
    DecidedBy,
    Decision,
    Heartbeat,
    HumanDecision,
    TaskCancel,
    TaskInfoProvided,
    TaskRequest,
)


def request(task_id: str = "t1", **payload: object) -> TaskRequest:
    return TaskRequest(task_id=task_id, task_type="paint", payload=payload)


def heard(node, kind, task_id="t1"):
    """The payload of the first such message."""

    def fits(envelope):
        about = envelope.payload.get("task_id", task_id)
        return envelope.type == f"p2p:{kind}" and about == task_id

    found = node.wait_for(fits)
    assert found, [envelope.type for envelope in node.heard]
    return found.content()


def kinds(node):
    return [one.type.removeprefix("p2p:") for one in node.heard]


def test_it_does_a_task_from_the_mailbox(ada, node, run) -> None:
    @ada.handles("paint")
    def paint(task):
        task.progress(40, "Half a wall.")
        return {"colour": task.payload["colour"]}

    asked = node.put(request(colour="red"))
    run()
    assert heard(node, "task_complete").result == {"colour": "red"}
    assert heard(node, "task_status_update").progress == 40
    said = [kind for kind in kinds(node) if kind.startswith("task_")]
    assert said == ["task_confirm", "task_status_update", "task_complete"]
    assert node.wait_for(lambda one: one.payload.get("message_id") == asked.message_id)


def test_it_keeps_a_task_in_the_mailbox_until_it_is_over(ada, node, run) -> None:
    @ada.handles("paint")
    def paint(task):
        task.need_info(["colour"], "Which?")

    asked = node.put(request())
    run()
    heard(node, "task_need_info")
    assert asked.message_id in node.unread
    ada.stop()
    assert "task_failed" not in kinds(node)


def test_it_waits_for_facts_until_all_are_there(ada, node, run) -> None:
    @ada.handles("paint")
    def paint(task):
        return dict(task.need_info(["colour", "coats"], "How?"))

    node.put(request())
    run()
    question = heard(node, "task_need_info")
    for facts in ({"colour": "red"}, {"coats": 2}):
        node.put(
            TaskInfoProvided(
                task_id="t1", request_id=question.request_id, provided_info=facts
            )
        )
    assert heard(node, "task_complete").result == {"colour": "red", "coats": 2}


def test_it_waits_for_a_decision(ada, node, run) -> None:
    @ada.handles("paint")
    def paint(task):
        answer = task.need_human({"summary": "Red?"}, options=["red", "blue"])
        return {"option": answer.decision.option_id, "by": answer.decided_by.user_id}

    node.put(request())
    run()
    question = heard(node, "task_need_human")
    node.put(
        HumanDecision(
            task_id="t1",
            request_id=question.request_id,
            decision=Decision(action="select", option_id="blue"),
            decided_by=DecidedBy(user_id="olga", role="operator"),
        )
    )
    assert heard(node, "task_complete").result == {"option": "blue", "by": "olga"}


def test_it_passes_over_an_answer_to_another_question(ada, node, run) -> None:
    @ada.handles("paint")
    def paint(task):
        return dict(task.need_info(["colour"], "Which?"))

    node.put(request())
    run()
    question = heard(node, "task_need_info")
    answer = TaskInfoProvided(task_id="t1", provided_info={"colour": "old"})
    node.put(answer.model_copy(update={"request_id": "another"}))
    good = {"request_id": question.request_id, "provided_info": {"colour": "new"}}
    node.put(answer.model_copy(update=good))
    assert heard(node, "task_complete").result == {"colour": "new"}


def test_it_stops_a_handler_whose_task_is_cancelled(ada, node, run) -> None:
    seen = SimpleNamespace(cancelled=False)

    @ada.handles("paint")
    def paint(task):
        try:
            task.need_info(["colour"], "Which?")
        except Cancelled:
            seen.cancelled = task.cancelled
            raise

    node.put(request())
    run()
    heard(node, "task_need_info")
    node.put(TaskCancel(task_id="t1"))
    assert heard(node, "task_ack").acked_type == "p2p:task_cancel"
    assert node.wait_for(lambda one: not node.unread)
    assert seen.cancelled
    assert "task_complete" not in kinds(node)


def test_it_rejects_what_the_check_refuses(ada, node, run) -> None:
    def check(payload):
        raise SynapseError(Code.PAYLOAD_INVALID, "No walls.")

    ada.handles("paint", check=check)(lambda task: {})
    node.put(request())
    run()
    reason = heard(node, "task_reject").reason
    assert (reason.code, reason.message) == (4002, "No walls.")
    assert "task_confirm" not in kinds(node)


def test_it_rejects_a_task_whose_check_breaks(ada, node, run) -> None:
    def check(payload):
        raise KeyError("the password is hunter2")

    ada.handles("paint", check=check)(lambda task: {})
    node.put(request())
    run()
    reason = heard(node, "task_reject").reason
    assert reason.code == Code.TASK_REJECTED
    assert "hunter2" not in reason.message


def test_it_fails_a_task_without_the_text_of_the_exception(ada, node, run) -> None:
    @ada.handles("paint")
    def paint(task):
        raise RuntimeError("the password is hunter2")

    node.put(request())
    run()
    error = heard(node, "task_failed").error
    assert error.code == Code.HANDLER_FAILED
    assert "hunter2" not in error.message


def test_it_refuses_a_task_type_that_it_does_not_have(ada, node, run) -> None:
    ada.handles("paint")(lambda task: {})
    other = request().model_copy(update={"task_type": "sing"})
    sent = node.put(other)
    run()
    nack = heard(node, "nack")
    assert (nack.message_id, nack.error.code) == (sent.message_id, 4001)
    assert nack.error.details == {"supported": ["paint"]}


def test_it_says_what_it_can_do_and_that_it_is_there(ada, node, run) -> None:
    ada.handles("paint", input_schema={"type": "object"})(lambda task: {})
    run()
    card = heard(node, "capability_response")
    assert [offer.type for offer in card.supported_task_types] == ["paint"]
    beat = heard(node, "heartbeat")
    assert (beat.agent_id, beat.active, beat.capacity) == ("ada", 0, 4)


def test_it_answers_a_query_of_the_node(ada, node, run) -> None:
    query = node.put(CapabilityQuery())
    run()
    assert node.wait_for(lambda one: one.in_reply_to == query.message_id)


def test_it_gives_each_message_once_and_acknowledges_it(ada, node) -> None:
    beat = Heartbeat(agent_id="synapse", status="ok", active=0, capacity=1)
    sent = [node.put(beat).message_id for _ in range(2)]
    mine = ada.messages(every_s=0)
    assert [next(mine).message_id for _ in sent] == sent
    assert node.unread == {sent[1]}
    mine.close()
    assert next(ada.messages(every_s=0)).message_id == sent[1]


def test_it_goes_on_with_a_task_that_it_had_before(ada, node, run) -> None:
    def judge(envelope):
        if envelope.type == "p2p:task_confirm":
            raise SynapseError(Code.ILLEGAL_TRANSITION)

    node.judge = judge
    ada.handles("paint")(lambda task: {"again": True})
    node.put(request())
    run()
    assert heard(node, "task_complete").result == {"again": True}


def test_it_sends_again_under_the_same_id(ada, node) -> None:
    tried = []

    def judge(envelope):
        tried.append(envelope.message_id)
        if len(tried) < 3:
            raise SynapseError(Code.DATABASE_UNAVAILABLE)

    node.judge = judge
    assert isinstance(ada.heartbeat(), Ack)
    assert len(tried) == 3
    assert len(set(tried)) == 1


@pytest.mark.parametrize("code", [Code.TASK_ENDED, Code.INVALID_FIELD])
def test_it_does_not_send_again_what_cannot_succeed(ada, node, code) -> None:
    tried = []

    def judge(envelope):
        tried.append(envelope)
        raise SynapseError(code)

    node.judge = judge
    assert ada.heartbeat().error.code == code
    assert len(tried) == 1


def test_it_fails_a_task_whose_result_the_node_refuses(ada, node, run) -> None:
    def judge(envelope):
        if envelope.type == "p2p:task_complete":
            raise SynapseError(Code.UNSTORABLE_VALUE, "Not that.")

    node.judge = judge
    ada.handles("paint")(lambda task: {"odd": 1})
    node.put(request())
    run()
    assert heard(node, "task_failed").error.message == "Not that."


def test_it_fails_a_task_whose_result_is_no_json(ada, node, run) -> None:
    ada.handles("paint")(lambda task: {"odd": object()})
    node.put(request())
    run()
    assert heard(node, "task_failed").task_id == "t1"


def test_it_begins_again_when_the_node_was_away(ada, node, run) -> None:
    away = [True] * 3  # As often as ada tries.

    def judge(envelope):
        if envelope.type == "p2p:task_complete" and away:
            away.pop()
            raise RuntimeError("no answer")

    node.judge = judge
    ada.handles("paint")(lambda task: {})
    node.put(request())
    run()
    heard(node, "task_complete")
    assert kinds(node).count("task_confirm") == 2
