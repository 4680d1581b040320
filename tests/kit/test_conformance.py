"""The conformance kit finds what is wrong: a peer with one defect fails that check."""

import threading

import pytest

from agents_app.conformance import Credentials, PeerUnderTest, check_peer
from agents_app.kit import Agent, inbox
from agents_app.protocol import signing
from tests import services
from tests.kit.conftest import SECRET


def failures() -> set[str]:
    """What fails for an agent of the kit at an endpoint."""
    listen, port = services.free_port(), services.free_port()
    agent = Agent(id="ada", secret=SECRET, node_url=f"http://127.0.0.1:{listen}")
    agent.handles("paint")(lambda task: {})
    thread = threading.Thread(target=agent.run, kwargs={"port": port})
    thread.start()
    try:
        peer = PeerUnderTest(
            url=f"http://127.0.0.1:{port}/",
            me=Credentials(agent_id="ada", secret=SECRET),
            listen=listen,
            task_type="paint",
            patience_s=10,
        )
        verdicts = list(check_peer(peer))
    finally:
        agent.stop()
        thread.join()
    assert len(verdicts) > 60
    return {f"{one.group}: {one.check}" for one in verdicts if not one.passed}


def test_it_finds_nothing_wrong_with_the_kit() -> None:
    assert failures() == set()


def test_it_finds_a_peer_that_forgets_what_it_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inbox, "MEMORY", 0)
    found = failures()
    assert "repeats: five times more, newly signed" in found
    assert "repeats: another payload under its id" in found


def test_it_finds_a_peer_that_does_not_look_at_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signing.verify, "__kwdefaults__", {"tolerance_s": 10**12})
    found = failures()
    assert {"signatures: clock -310 s", "signatures: clock +310 s"} <= found
