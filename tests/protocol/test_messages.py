"""The seventeen message types: directions, payload classes, and what they move."""

import pytest

from agents_app.protocol import payloads
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import (
    MESSAGES,
    MessageType,
    Side,
    check_direction,
    move_of,
    parse_payload,
    parse_type,
    type_of,
)
from agents_app.protocol.payloads import TaskStatusUpdate
from agents_app.protocol.states import Move

# A2A 3.1 to 3.5.
SEED_DIRECTIONS = {
    "requester": "task_request task_cancel task_info_provided human_decision",
    "executor": (
        "task_confirm task_reject task_status_update task_complete task_failed "
        "task_need_info task_need_human"
    ),
    "both": "task_ack capability_query capability_response heartbeat ack nack",
}
DIRECTIONS = [
    (f"p2p:{name}", side)
    for side, names in SEED_DIRECTIONS.items()
    for name in names.split()
]

ERROR = {"code": 2006, "message": "It broke."}
BY = {"user_id": "ann", "role": "operator"}
MOVES = [
    ("p2p:task_request", {"task_type": "echo", "payload": {}}, Move.REQUEST),
    ("p2p:task_confirm", {}, Move.CONFIRM),
    ("p2p:task_reject", {"reason": ERROR}, Move.REJECT),
    ("p2p:task_status_update", {"status": "confirmed"}, Move.CONFIRM),
    ("p2p:task_status_update", {"status": "executing"}, Move.EXECUTING),
    ("p2p:task_complete", {"result": {}}, Move.COMPLETE),
    ("p2p:task_failed", {"error": ERROR}, Move.FAIL),
    ("p2p:task_cancel", {}, Move.CANCEL),
    ("p2p:task_ack", {"acked_type": "p2p:task_complete"}, None),
    ("p2p:task_need_info", {"missing_fields": ["a"], "reason": "r"}, Move.NEED_INFO),
    ("p2p:task_info_provided", {"provided_info": {}}, Move.INFO_COMPLETE),
    ("p2p:task_need_human", {"escalation_level": 1, "reason": {}}, Move.NEED_HUMAN),
]
DECISIONS = [
    ({"action": "approve"}, Move.APPROVE),
    ({"action": "select", "option_id": "a"}, Move.APPROVE),
    ({"action": "modify", "value": 5}, Move.APPROVE),
    ({"action": "reject"}, Move.DECLINE),
]
WITHOUT_A_TASK = [
    ("p2p:capability_query", {}),
    ("p2p:heartbeat", {"agent_id": "a", "status": "ok", "active": 0, "capacity": 2}),
    ("p2p:ack", {"message_id": "m"}),
    ("p2p:nack", {"message_id": "m", "error": ERROR}),
]


def test_it_knows_the_seventeen_types_of_the_seed():
    assert {str(one) for one in MessageType} == {name for name, _ in DIRECTIONS}
    assert len(MessageType) == len(MESSAGES) == 17


@pytest.mark.parametrize(("name", "side"), DIRECTIONS)
def test_it_lets_the_side_send_that_the_seed_names(name, side):
    assert MESSAGES[MessageType(name)].sender == side


def test_it_uses_one_payload_class_per_type():
    classes = [spec.payload for spec in MESSAGES.values()]
    assert len(set(classes)) == 17
    assert all(issubclass(one, payloads.Payload) for one in classes)


@pytest.mark.parametrize(("name", "fields", "move"), MOVES)
def test_it_knows_what_a_message_does_to_its_task(name, fields, move):
    payload = parse_payload(MessageType(name), {"task_id": "t"} | fields)
    assert move_of(payload) is move
    assert type_of(payload) == name


@pytest.mark.parametrize(("decision", "move"), DECISIONS)
def test_it_looks_into_a_decision(decision, move):
    fields = {"task_id": "t", "decision": decision, "decided_by": BY}
    payload = parse_payload(MessageType.HUMAN_DECISION, fields)
    assert move_of(payload) is move


def test_it_leaves_it_to_the_caller_whether_an_answer_is_complete():
    fields = {"task_id": "t", "provided_info": {"a": 1}}
    payload = parse_payload(MessageType.TASK_INFO_PROVIDED, fields)
    assert move_of(payload, info_complete=False) is Move.INFO_PARTIAL


@pytest.mark.parametrize(("name", "fields"), WITHOUT_A_TASK)
def test_it_moves_nothing_without_a_task(name, fields):
    assert move_of(parse_payload(MessageType(name), fields)) is None


@pytest.mark.parametrize("status", ["completed", "need_human", "idle", "nonsense"])
def test_it_takes_two_statuses_by_update_and_no_more(status):
    update = TaskStatusUpdate(task_id="t", status=status)
    with pytest.raises(SynapseError) as refused:
        move_of(update)
    assert refused.value.code is Code.ILLEGAL_TRANSITION
    assert refused.value.details == {"status": status}


@pytest.mark.parametrize("text", ["p2p:nope", "task_request", "", "P2P:ACK"])
def test_it_answers_an_unknown_type_with_the_known_ones(text):
    with pytest.raises(SynapseError) as refused:
        parse_type(text)
    assert refused.value.code is Code.UNKNOWN_MESSAGE_TYPE
    assert "p2p:task_request" in refused.value.details["supported"]


@pytest.mark.parametrize("name", SEED_DIRECTIONS["executor"].split())
def test_it_refuses_an_executors_message_from_the_requester(name):
    message_type = MessageType(f"p2p:{name}")
    check_direction(message_type, Side.EXECUTOR)
    with pytest.raises(SynapseError) as refused:
        check_direction(message_type, Side.REQUESTER)
    assert refused.value.code is Code.WRONG_DIRECTION


@pytest.mark.parametrize("side", [Side.REQUESTER, Side.EXECUTOR])
def test_it_lets_both_sides_send_a_heartbeat(side):
    check_direction(MessageType.HEARTBEAT, side)
