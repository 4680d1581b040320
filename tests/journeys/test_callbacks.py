"""Callbacks by the real courier: again until it works, in order, one bad one alone."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from standardwebhooks import Webhook

from tests.journeys.calls import final_call
from tests.receiver import Exchange, Receiver, Step, hang, held, ok, status
from tests.stack import Client, Stack, eventually
from tests.stack.client import ENDS

pytestmark = pytest.mark.journey

ATTEMPT = "x-synapse-delivery-attempt"


def test_g20_a_receiver_that_is_down_is_tried_again(
    faults: Stack, receiver: Receiver
) -> None:
    receiver.on("/down", status(500), status(503), ok())
    client = faults.client()
    task_id = client.submit("probe_need_human", callback_url=receiver.url("/down"))
    first, second, third = receiver.wait_for(3, path="/down")
    assert {one.headers["webhook-id"] for one in (second, third)} == {
        first.headers["webhook-id"]
    }
    assert [one.headers[ATTEMPT] for one in (first, second, third)] == ["1", "2", "3"]
    assert first.body == second.body == third.body
    Webhook(faults.callback_secret()).verify(third.body, dict(third.headers))
    client.cancel(task_id)
    assert final_call(receiver, task_id).json()["status"] == "cancelled"


def test_g20_a_courier_killed_after_the_post_sends_it_again(
    faults: Stack, receiver: Receiver
) -> None:
    answer = threading.Event()
    receiver.on("/cut", held(answer), ok())
    client = faults.client()
    task_id = client.submit("probe_need_human", callback_url=receiver.url("/cut"))
    receiver.wait_for(1, path="/cut")
    faults.courier.kill()
    answer.set()
    faults.start("courier")
    first, second = receiver.wait_for(2, timeout=25, path="/cut")
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-timestamp"] < second.headers["webhook-timestamp"]
    assert [one.headers[ATTEMPT] for one in (first, second)] == ["1", "2"]
    client.cancel(task_id)


def test_g22_nothing_follows_the_final_callback(
    faults: Stack, receiver: Receiver
) -> None:
    ended = threading.Event()
    receiver.on("/slow", fails_until_the_final_one(ended))
    client = faults.client()
    task_id = client.submit("probe_need_info", callback_url=receiver.url("/slow"))
    receiver.wait_for(1, path="/slow")
    # Only now: before its end the receiver has the first one, however busy all are.
    client.wait_for(task_id, "info_needed")
    client.info(task_id, colour="red")
    client.wait_for(task_id, "completed")
    # The first one fails: due for another try, but older than the final one.
    ended.set()
    eventually(lambda: settled(faults, task_id), 20, "the outbox to settle")
    *earlier, last = [one.json() for one in receiver.requests]
    assert (earlier[0]["sequence"], earlier[0]["status"]) == (1, "processing")
    assert {one["status"] for one in earlier} == {"processing"}
    assert last["status"] == "completed"
    *others, final = [row.state for row in faults.ledger.deliveries(task_id)]
    assert final == "delivered"
    # Dead only where the task took longer than all tries of the first one.
    assert "superseded" in others
    assert set(others) <= {"superseded", "dead"}


def test_g24_a_hanging_receiver_delays_nobody_else(
    faults: Stack, receiver: Receiver
) -> None:
    client = faults.client()
    others = Client(faults.url, client.key)  # Whose retries nobody waits for here.
    with Receiver(hang()) as hanging:
        for _ in range(64):  # Four times the threads of the courier.
            others.submit("probe_echo", callback_url=hanging.url())
        hanging.wait_for(1)
        task_id = client.submit("probe_echo", callback_url=receiver.url("/good"))
        assert final_call(receiver, task_id, timeout=5).json()["status"] == "completed"


def test_g24_many_hanging_receivers_of_one_caller_delay_no_other_caller(
    faults: Stack, receiver: Receiver
) -> None:
    stranger = Client(faults.url, faults.client("stranger").key)
    with ExitStack() as opened:
        hanging = [opened.enter_context(Receiver(hang())) for _ in range(8)]
        for number in range(64):
            url = hanging[number % len(hanging)].url()
            stranger.submit("probe_echo", callback_url=url)
        eventually(lambda: sum(one.connections for one in hanging), 10, "a hang")
        task_id = faults.client().submit("probe_echo", callback_url=receiver.url())
        assert final_call(receiver, task_id, timeout=5).json()["status"] == "completed"


def test_g24_silent_agents_delay_no_caller(
    faults: Stack, receiver: Receiver, silent: socket.socket
) -> None:
    silent.settimeout(20)
    held = [silent.accept()[0] for _ in range(6)]  # Of several rounds.
    try:
        for _ in range(5):
            task_id = faults.client().submit("probe_echo", callback_url=receiver.url())
            call = final_call(receiver, task_id, timeout=3)
            assert call.json()["status"] == "completed"
    finally:
        for one in held:
            one.close()


@pytest.fixture
def silent(faults: Stack) -> Iterator[socket.socket]:
    """The endpoint of sixteen agents with mailboxes: it accepts, and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        faults.manage(
            "shell",
            "-c",
            "from tasks_app import peers\n"
            "for n in range(16):\n"
            f"    peers.register(f'silent{{n}}', endpoint=f'{url}/{{n}}', fetch=True)",
        )
        yield listening
    faults.manage(
        "shell",
        "-c",
        "from agents_app.models import Agent\nfrom tasks_app import peers\n"
        "for one in Agent.objects.filter(id__startswith='silent'): peers.disable(one)",
    )


def fails_until_the_final_one(ended: threading.Event) -> Step:
    """Holds and then refuses all but the callback that tells the end."""
    refuse = held(ended, status(500))

    def step(exchange: Exchange) -> None:
        final = exchange.receiver.requests[-1].json()["status"] in ENDS
        (ok() if final else refuse)(exchange)

    return step


def settled(stack: Stack, task_id: str) -> bool:
    """Nothing of it waits any more."""
    return all(row.state != "waiting" for row in stack.ledger.deliveries(task_id))
