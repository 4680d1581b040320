"""What happens between two nodes when one dies, falls silent, or the network is bad."""

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents_app.kit import Agent, Task
from agents_app.kit import agent as kit
from agents_app.protocol import signing
from agents_app.protocol.codes import Code
from tests.journeys.a2a import agreement
from tests.journeys.calls import final_call
from tests.journeys.conftest import check
from tests.proxy import Fate, Proxy
from tests.receiver import Receiver
from tests.stack import Client, Pair, Stack, Template, eventually
from tests.stack.pair import wait_for_peer

pytestmark = [pytest.mark.journey, pytest.mark.timeout(300)]

TASKS = 10


def killed(stack: Stack) -> None:
    """SIGKILL to all of it, as when the power fails."""
    for process in stack.services.values():
        process.kill()


def test_it_completes_after_a_power_cut_in_the_middle_of_a_step(
    south: Stack, client: Client, receiver: Receiver
) -> None:
    payload = {"file": "cut", "steps": 3, "seconds": 3}
    task_id = client.submit("probe_ledger", payload, callback_url=receiver.url())
    eventually(lambda: len(south.notes("cut")) == 4, 20, "its steps")
    killed(south)
    south.heal()
    assert client.result(task_id, timeout=60) == {"attempt": 2}
    events = Counter(note["event"] for note in south.notes("cut"))
    effects = {f"effect-{number}": 1 for number in range(3)}
    assert events == {"start": 2, "end": 1, **effects}
    assert final_call(receiver, task_id).json()["status"] == "completed"


def test_it_hears_an_answer_that_was_given_while_it_was_down(
    south: Stack, client: Client
) -> None:
    payload = {"file": "down", "steps": 2, "question": "info"}
    task_id = client.submit("probe_ledger", payload)
    client.wait_for(task_id, "info_needed")
    killed(south)
    client.info(task_id, colour="blue")
    south.heal()
    client.result(task_id, timeout=60)
    events = Counter(note["event"] for note in south.notes("down"))
    assert (events["effect-0"], events["effect-1"], events["end"]) == (1, 1, 1)


@pytest.fixture(scope="module")
def lossy(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Two nodes with a bad network in both directions."""
    with Pair(template, tmp_path_factory.mktemp("lossy"), Proxy) as pair:
        yield pair


def test_no_task_is_lost_or_done_twice_by_a_network_that_loses_and_repeats(
    lossy: Pair, receiver: Receiver
) -> None:
    client = lossy.north.client()

    def ask_and_answer(number: int) -> str:
        payload = {"file": f"lossy-{number}", "steps": 2, "question": "info"}
        task_id = client.submit("probe_ledger", payload, callback_url=receiver.url())
        client.wait_for(task_id, "info_needed", timeout=90)
        client.info(task_id, colour="blue")
        client.result(task_id, timeout=90)
        return task_id

    with ThreadPoolExecutor(TASKS) as pool:
        tasks = list(pool.map(ask_and_answer, range(TASKS)))
    assert all(set(road.fates) == set(Fate) for road in lossy.roads)
    for number, task_id in enumerate(tasks):
        events = Counter(note["event"] for note in lossy.south.notes(f"lossy-{number}"))
        assert (events["effect-0"], events["effect-1"], events["end"]) == (1, 1, 1)
        assert final_call(receiver, task_id).json()["status"] == "completed"
    check(lossy.north, receiver)
    agreement.check(lossy.north, lossy.south)


@pytest.fixture(scope="module")
def impatient(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Two nodes that give each other little time to come back."""
    folder = tmp_path_factory.mktemp("impatient-pair")
    with Pair(template, folder, SYNAPSE_PEER_GRACE_SECONDS="1") as pair:
        yield pair


@pytest.fixture
def awake(impatient: Pair) -> Iterator[Pair]:
    """Both are there, before and after."""
    impatient.north.replies.clear()
    wait_for_peer(impatient.north, impatient.south.agent_id)
    yield impatient
    impatient.south.heal()


def there(pair: Pair, task_id: str) -> str:
    """The state of the task at the node that does it."""
    return pair.south.ledger.tasks_of(pair.north.address)[task_id].state


def test_g35_a_task_of_a_silent_agent_fails_and_is_stopped_there(
    awake: Pair, receiver: Receiver
) -> None:
    client = awake.north.client()
    payload = {"file": "silent", "seconds": 60}
    task_id = client.submit("probe_ledger", payload, callback_url=receiver.url())
    client.wait_for(task_id, "executing")
    eventually(lambda: awake.south.notes("silent"), 20, "its handler begins")
    killed(awake.south)
    task = client.end(task_id, timeout=60)
    assert (task["status"], task["error"]["code"]) == ("failed", Code.AGENT_SILENT)
    assert final_call(receiver, task_id).json()["error"] == task["error"]
    awake.south.heal()
    eventually(lambda: there(awake, task_id) == "cancelled", 60, "it hears of it")
    assert "end" not in {note["event"] for note in awake.south.notes("silent")}
    agreement.check_taken_back(awake.north, task_id)


@pytest.fixture
def spare(awake: Pair, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    """An agent with a mailbox that can do the same as south, in its way."""
    monkeypatch.setattr(kit, "HEARTBEAT_SECONDS", 1.0)
    monkeypatch.setattr(kit, "POLL_SECONDS", 0.2)
    secret = signing.new_secret()
    awake.north.manage("register_agent", "spare", "--secret", secret)
    agent = Agent(
        id="spare",
        secret=secret,
        node_url=awake.north.url,
        node_address=awake.north.address,
    )

    @agent.handles("probe_ledger")
    def instead(task: Task) -> dict[str, object]:
        return {"done_by": "spare"}

    serving = threading.Thread(target=agent.run)
    serving.start()
    wait_for_peer(awake.north, "spare")
    yield agent
    agent.stop()
    serving.join(20)


@pytest.mark.usefixtures("spare")
def test_g35_a_task_that_nobody_confirmed_is_done_by_another_agent(
    awake: Pair, receiver: Receiver
) -> None:
    client = awake.north.client()
    wait_for_peer(awake.north, awake.south.agent_id)
    awake.south.web.pause()
    payload = {"file": "moved", "seconds": 60}
    task_id = client.submit("probe_ledger", payload, callback_url=receiver.url())
    for process in awake.south.services.values():
        process.pause()
    assert client.result(task_id, timeout=60) == {"done_by": "spare"}
    assert final_call(receiver, task_id).json()["status"] == "completed"
    awake.south.heal()
    agreement.check_taken_back(awake.north, task_id)
    # It may have got the request before it slept; then the cancel behind it counts.
    known = awake.south.ledger.tasks_of(awake.north.address)
    assert task_id not in known or there(awake, task_id) == "cancelled"
    assert "end" not in {note["event"] for note in awake.south.notes("moved")}
