"""G10: no state without a deadline, each end with a code of its own and a callback."""

from collections.abc import Iterator

import pytest

from agents_app.protocol.codes import Code
from tests.journeys.calls import final_call
from tests.journeys.conftest import check
from tests.receiver import Receiver
from tests.stack import Client, Stack, Template

pytestmark = pytest.mark.journey


@pytest.fixture(scope="module")
def impatient(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """A stack where nothing may take longer than some seconds."""
    settings = {
        "SYNAPSE_ANSWER_SECONDS": "2",
        "SYNAPSE_MAX_QUEUE_SECONDS": "2",
        "SYNAPSE_MAX_TASK_DURATION": "2",
    }
    with Stack(template, tmp_path_factory.mktemp("impatient"), **settings) as stack:
        yield stack


@pytest.fixture
def client(impatient: Stack, receiver: Receiver) -> Iterator[Client]:
    impatient.replies.clear()
    yield impatient.client()
    check(impatient, receiver)


def fails_with(client: Client, receiver: Receiver, kind: str, **payload: object) -> int:
    """The code that a task is failed with, as its final callback says."""
    task_id = client.submit(kind, payload, callback_url=receiver.url())
    error: dict[str, int] = client.wait_for(task_id, "failed")["error"]
    assert final_call(receiver, task_id).json()["error"] == error
    return error["code"]


def test_g10_nobody_starts_it(client: Client, receiver: Receiver) -> None:
    code = fails_with(client, receiver, "probe_other_lane")
    assert code == Code.NOT_STARTED


def test_g10_the_caller_does_not_answer(client: Client, receiver: Receiver) -> None:
    assert fails_with(client, receiver, "probe_need_info") == Code.INFO_TIMEOUT


def test_g10_the_handler_takes_too_long(client: Client, receiver: Receiver) -> None:
    code = fails_with(client, receiver, "probe_sleep", seconds=60, hard=True)
    assert code == Code.MAX_DURATION


def test_g42_silence_at_the_desk_is_a_no(client: Client, receiver: Receiver) -> None:
    task_id = client.submit("probe_need_human", callback_url=receiver.url())
    client.wait_for(task_id, "need_human")
    result = client.result(task_id)
    assert result["approved"] is False
    assert result["decided_by"]["user_id"] == "system:timeout"


def test_g42_a_claim_does_not_stop_the_clock(client: Client, impatient: Stack) -> None:
    task_id = client.submit("probe_need_human")
    client.wait_for(task_id, "need_human")
    impatient.operator().claim(task_id)
    client.wait_for(task_id, "human_deciding", timeout=1)
    assert client.result(task_id)["approved"] is False
