"""What a submit checks, stores and rings for (P2A 6.1, decisions 29)."""

import pytest
from django.test import override_settings

from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import TaskState
from tasks_app import lifecycle
from tasks_app.ledger import NewAttachment
from tasks_app.models import Task
from tasks_app.policy import queue_key
from tests.factories import row, submission, submitted


def refused(wanted):
    with pytest.raises(SynapseError) as caught:
        lifecycle.submit(wanted)
    assert not Task.objects.exists()
    return caught.value


def attachment(**fields):
    values = {
        "id": ids.new_id(),
        "kind": "input",
        "name": "a.txt",
        "content_type": "text/plain",
        "size": 3,
        "sha256": "0" * 64,
    }
    return NewAttachment(**values | fields)


def test_it_puts_a_task_into_the_queue_of_its_lane(caller):
    task = row(submitted(caller, "probe_other_lane", priority="high"))
    assert (task.state, task.lane, task.priority) == (TaskState.PENDING, "gpu", "high")
    assert task.ready_at == task.created_at
    assert task.queue_key == queue_key(task.created_at, "high")


def test_it_logs_the_request(caller):
    """P2A 11: `POST /task` is `p2p:task_request`."""
    task = submitted(caller, payload={"a": 1}, callback_url="https://example.com/")
    request = row(task).messages.get()
    assert (request.type, request.generation) == ("p2p:task_request", 1)
    assert request.sender == f"caller:{caller.pk}"
    assert request.recipient == "agent:synapse"
    assert request.payload["payload"] == {"a": 1}
    assert request.payload["task_id"] == str(task.id)
    assert request.payload["transport_preferences"] == {"mode": "both"}


def test_it_rings_the_lane_after_the_commit(
    caller, bells, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        submitted(caller, "probe_other_lane")
        assert bells == []
    assert bells == [("synapse.advance", ["gpu"], "lane.gpu", 0)]


def test_it_refuses_an_unknown_type_and_says_what_there_is(caller):
    error = refused(submission(caller, "no_such_type"))
    assert error.code is Code.UNKNOWN_TASK_TYPE
    assert error.details["task_type"] == "no_such_type"
    assert "probe_echo" in error.details["supported"]


def test_it_refuses_a_type_that_is_switched_off(caller, declare):
    declare(lambda ctx: {}, enabled=lambda: False)
    error = refused(submission(caller, "test_type"))
    assert error.code is Code.UNKNOWN_TASK_TYPE
    assert error.details["supported"] == []


def test_it_refuses_a_payload_that_does_not_fit_and_names_the_fields(caller):
    """And does not repeat the values: they may be secret."""
    wanted = submission(
        caller, "probe_need_human", payload={"level": 9, "options": ["a", {"b": 1}]}
    )
    error = refused(wanted)
    assert error.code is Code.PAYLOAD_INVALID
    assert set(error.details["fields"]) == {"level", "options[1]"}


def test_it_refuses_files_for_a_type_that_takes_none(caller):
    wanted = submission(
        caller, "probe_fail", attachments=(attachment(created_at=caller.created_at),)
    )
    assert refused(wanted).code is Code.PAYLOAD_INVALID


def test_it_names_the_files_in_the_request(caller):
    """Decisions 39."""
    file = attachment(created_at=caller.created_at)
    task = row(submitted(caller, attachments=(file,)))
    named = task.messages.get().payload["attachments"]
    assert [one["file_id"] for one in named] == [str(file.id)]
    assert task.attachments.get().id == file.id


def test_it_takes_the_longest_run_time_from_the_type(caller, declare):
    declare(lambda ctx: {}, max_duration_s=7)
    assert row(submitted(caller, "test_type")).max_duration_s == 7


def test_it_takes_the_longest_run_time_from_the_settings_otherwise(caller):
    with override_settings(SYNAPSE_MAX_TASK_DURATION=11, SYNAPSE_MAX_QUEUE_SECONDS=60):
        task = row(submitted(caller))
    assert task.max_duration_s == 11
    assert (task.due_at - task.created_at).total_seconds() == 60


def test_it_lets_no_task_run_longer_than_the_node_advertises(caller, declare, settings):
    settings.SYNAPSE_MAX_TASK_DURATION = 600
    declare(lambda ctx: {}, max_duration_s=100_000)
    assert row(submitted(caller, "test_type")).max_duration_s == 600
