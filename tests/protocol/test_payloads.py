"""Payload fields to the letter of A2A chapter 6, and strict about their types."""

import pytest
from pydantic import ValidationError

from agents_app.protocol import payloads
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import (
    Decision,
    ErrorObject,
    HumanDecision,
    Nack,
    Priority,
    TaskComplete,
    TaskNeedHuman,
    TaskNeedInfo,
    TaskReject,
    TaskRequest,
    TaskStatusUpdate,
)
from agents_app.protocol.values import MAX_RETRY_AFTER

# A2A 6.1 to 6.10: type, required fields, optional fields.
SEED_FIELDS = [
    (
        "TaskRequest",
        "task_id task_type payload",
        "priority transport_preferences",
    ),
    ("TaskConfirm", "task_id", "estimated_time"),
    ("TaskReject", "task_id reason", ""),
    ("TaskStatusUpdate", "task_id status", "progress message eta"),
    ("TaskComplete", "task_id result", "summary metadata"),
    ("TaskFailed", "task_id error", ""),
    ("TaskNeedInfo", "task_id missing_fields reason", ""),
    ("TaskInfoProvided", "task_id provided_info", ""),
    (
        "TaskNeedHuman",
        "task_id escalation_level reason",
        "options suggested_value",
    ),
    ("HumanDecision", "task_id decision decided_by", ""),
]

OURS = {"attachments", "request_id", "version", "answer_within_s", "decision_schema"}

ERROR = {"code": 2006, "message": "It broke."}
HUMAN = {"task_id": "t", "escalation_level": 1, "reason": {"amount": 900}}


def _fields_refused(model, value):
    with pytest.raises(SynapseError) as refused:
        model.parse(value)
    assert refused.value.code is Code.INVALID_FIELD
    return refused.value.details["fields"]


@pytest.mark.parametrize(("name", "required", "optional"), SEED_FIELDS)
def test_it_has_the_fields_of_the_seed(name, required, optional):
    fields = getattr(payloads, name).model_fields
    assert {key for key in fields if fields[key].is_required()} == {*required.split()}
    assert {*fields} - {*required.split()} - OURS == {*optional.split()}


def test_it_ignores_fields_it_does_not_know():
    read = TaskComplete.parse({"task_id": "t", "result": {}, "colour": "red"})
    assert read.to_json() == {"task_id": "t", "result": {}}


def test_it_is_frozen():
    read = TaskComplete.parse({"task_id": "t", "result": {}})
    with pytest.raises(ValidationError, match="frozen"):
        read.summary = "changed"


def test_it_leaves_absent_fields_out_and_keeps_inner_nulls():
    read = TaskComplete.parse({"task_id": "t", "result": {"a": None, "b": [None]}})
    assert read.to_json()["result"] == {"a": None, "b": [None]}
    assert "summary" not in read.to_json()


def test_it_is_normal_priority_unless_said_otherwise():
    request = {"task_id": "t", "task_type": "echo", "payload": {}}
    assert TaskRequest.parse(request).priority is Priority.NORMAL
    assert TaskRequest.parse(request | {"priority": "urgent"}).priority == "urgent"
    assert "priority" in _fields_refused(TaskRequest, request | {"priority": "now"})


@pytest.mark.parametrize("progress", [0, 70, 100])
def test_it_takes_progress_as_a_whole_percentage(progress):
    update = {"task_id": "t", "status": "executing", "progress": progress}
    assert TaskStatusUpdate.parse(update).progress == progress


@pytest.mark.parametrize("progress", [101, -1, True, "50", 50.0, 1e2, [50]])
def test_it_refuses_any_other_progress(progress):
    update = {"task_id": "t", "status": "executing", "progress": progress}
    assert "progress" in _fields_refused(TaskStatusUpdate, update)


def test_it_wants_the_eta_as_rfc_3339():
    update = {"task_id": "t", "status": "executing", "eta": "2025-10-09T08:53:20Z"}
    assert TaskStatusUpdate.parse(update).eta == "2025-10-09T08:53:20Z"
    fields = _fields_refused(TaskStatusUpdate, update | {"eta": "in 5 min"})
    assert fields == {"eta": "not an RFC 3339 timestamp"}


def test_it_names_each_wrong_field_with_its_path():
    need = {"task_id": "t", "missing_fields": ["a", {"name": 3}], "reason": None}
    fields = _fields_refused(TaskNeedInfo, need)
    assert set(fields) == {"missing_fields[1].name", "reason"}


def test_it_does_not_repeat_the_refused_value():
    fields = _fields_refused(TaskNeedInfo, {"task_id": ["s3cret"]})
    assert "s3cret" not in str(fields)


def test_it_names_the_first_wrong_item_of_a_list():
    need = {"task_id": "t", "missing_fields": [{}, {}], "reason": "r"}
    fields = _fields_refused(TaskNeedInfo, need)
    assert set(fields) == {"missing_fields[0].name"}


def test_it_refuses_to_ask_for_nothing():
    need = {"task_id": "t", "missing_fields": [], "reason": "r"}
    assert set(_fields_refused(TaskNeedInfo, need)) == {"missing_fields"}


@pytest.mark.parametrize("value", [None, [], "text", 5])
def test_it_refuses_what_is_no_object(value):
    assert _fields_refused(TaskComplete, value)


@pytest.mark.parametrize("task_id", ["", "x" * 129, 5, None])
def test_it_refuses_ids_nobody_can_store(task_id):
    assert "task_id" in _fields_refused(
        TaskComplete, {"task_id": task_id, "result": {}}
    )


def test_it_reads_missing_fields_as_names_or_objects():
    schema = {"type": "number"}
    given = ["iban", {"name": "amount", "schema": schema, "required": False}]
    need = TaskNeedInfo.parse({"task_id": "t", "missing_fields": given, "reason": "r"})
    assert need.to_json()["missing_fields"] == [
        {"name": "iban", "required": True},
        {"name": "amount", "required": False, "schema": schema},
    ]


def test_it_never_asks_for_nothing():
    need = {"task_id": "t", "missing_fields": [], "reason": "r"}
    assert "missing_fields" in _fields_refused(TaskNeedInfo, need)


def test_it_asks_for_no_more_than_a_page_can_show():
    many = [f"field {number}" for number in range(201)]
    need = {"task_id": "t", "missing_fields": many, "reason": "r"}
    assert "missing_fields" in _fields_refused(TaskNeedInfo, need)
    human = {"task_id": "t", "escalation_level": 1, "reason": {}, "options": many}
    assert "options" in _fields_refused(TaskNeedHuman, human)
    TaskNeedInfo.parse(need | {"missing_fields": many[:200]})


def test_it_reads_options_as_labels_or_objects():
    given = ["Pay", {"id": "half", "label": "Pay half", "value": 0.5}, {"id": "no"}]
    options = TaskNeedHuman.parse(HUMAN | {"options": given}).to_json()["options"]
    assert options == [
        {"id": "Pay", "label": "Pay"},
        {"id": "half", "label": "Pay half", "value": 0.5},
        {"id": "no", "label": "no"},
    ]


def test_it_refuses_two_options_with_one_id():
    human = HUMAN | {"options": ["yes", {"id": "yes", "label": "Of course"}]}
    assert _fields_refused(TaskNeedHuman, human) == {
        "options": "two options share an id"
    }


@pytest.mark.parametrize("level", [0, 4, "1", True])
def test_it_escalates_to_levels_one_to_three_only(level):
    human = HUMAN | {"escalation_level": level}
    assert "escalation_level" in _fields_refused(TaskNeedHuman, human)


@pytest.mark.parametrize(
    ("decision", "approved"),
    [
        ({"action": "approve"}, True),
        ({"action": "reject", "comment": "Too much."}, False),
        ({"action": "select", "option_id": "half"}, True),
        ({"action": "modify", "value": {"amount": 5}}, True),
    ],
)
def test_it_knows_which_decisions_let_the_task_go_on(decision, approved):
    read = Decision.parse(decision)
    assert read.approved is approved
    assert read.to_json() == decision


@pytest.mark.parametrize(
    "decision",
    [{}, {"action": "maybe"}, {"action": "select"}, {"action": "modify"}],
)
def test_it_refuses_half_a_decision(decision):
    assert _fields_refused(Decision, decision)


def test_it_wants_to_know_who_decided_and_as_what():
    human = {"task_id": "t", "decision": {"action": "approve"}}
    fields = _fields_refused(HumanDecision, human | {"decided_by": {"user_id": "ann"}})
    assert set(fields) == {"decided_by.role"}


def test_it_completes_the_category_of_an_error():
    assert ErrorObject.parse(ERROR).category == "task"
    assert ErrorObject.parse(ERROR | {"category": "own"}).category == "own"


def test_it_always_shows_all_five_fields_of_an_error():
    reject = TaskReject.parse({"task_id": "t", "reason": ERROR})
    assert reject.to_json()["reason"] == {
        "code": 2006,
        "category": "task",
        "message": "It broke.",
        "details": {},
        "retry_after": None,
    }


@pytest.mark.parametrize("code", [999, 10000, "2006", True, None])
def test_it_refuses_error_codes_outside_the_ranges(code):
    assert "code" in _fields_refused(ErrorObject, ERROR | {"code": code})


@pytest.mark.parametrize("seconds", [-1, MAX_RETRY_AFTER + 1, 10**290])
def test_it_takes_no_error_that_passes_after_more_than_a_year(seconds):
    assert "retry_after" in _fields_refused(
        ErrorObject, ERROR | {"retry_after": seconds}
    )


def test_it_turns_our_own_errors_into_the_same_object():
    error = SynapseError(Code.RATE_LIMITED, details={"limit": 5}, retry_after=2)
    assert ErrorObject.of(error).to_json() == error.to_object()


def test_it_can_refuse_a_message_whose_id_it_could_not_read():
    nack = Nack.parse({"message_id": "", "error": ERROR})
    assert nack.to_json()["message_id"] == ""


def test_it_carries_attachments_beside_the_payload():
    file = {
        "file_id": "f",
        "name": "a.pdf",
        "content_type": "application/pdf",
        "size": 3,
        "sha256": "0" * 64,
    }
    done = {"task_id": "t", "result": {}, "attachments": [file]}
    assert TaskComplete.parse(done).to_json() == done
    broken = done | {"attachments": [file | {"sha256": "no"}]}
    assert "attachments[0].sha256" in _fields_refused(TaskComplete, broken)
