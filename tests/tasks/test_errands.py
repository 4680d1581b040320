"""Errands of a courier: agents that hang hold few threads, and are left alone (G24)."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tasks_app import errands
from tasks_app.errands import Errands
from tasks_app.sharing import Threads
from tests.stack import eventually


class Agents:
    """Those named `hang…` answer when they are let go, `bad…` never do their part."""

    def __init__(self, number: int = 16) -> None:
        self.threads = Threads(number)
        self.asked: list[str] = []
        self.rung: list[str] = []
        self.let_go = threading.Event()
        self.errands = Errands(
            "heartbeats", self._ask, ring=self.rung.append, threads=self.threads
        )

    def _ask(self, agent: str) -> bool:
        self.asked.append(agent)
        if agent.startswith("hang"):
            self.let_go.wait(10)
        if agent.startswith("broken"):
            raise ConnectionError("our database")
        return not agent.startswith("bad")


@pytest.fixture
def agents() -> Iterator[Agents]:
    agents = Agents()
    yield agents
    agents.let_go.set()


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets seconds pass; agents rest for four of them first."""
    now = [1000.0]
    monkeypatch.setattr(errands, "_FIRST_REST", 4.0)
    monkeypatch.setattr(errands.time, "monotonic", lambda: now[0])

    def pass_by(seconds: float) -> None:
        now[0] += seconds

    return pass_by


def test_it_holds_a_quarter_of_the_threads_when_all_hang_g24(agents: Agents) -> None:
    with ThreadPoolExecutor(16) as pool:
        done = [pool.submit(agents.errands.run, f"hang{n}") for n in range(16)]
        eventually(lambda: sum(one.done() for one in done) == 12, 10, "free threads")
        assert len(agents.asked) == 4
        assert agents.threads.take("caller:a")
        agents.let_go.set()
    assert sorted(agents.asked) == sorted(f"hang{n}" for n in range(16))


def test_it_has_one_thread_at_an_agent(agents: Agents) -> None:
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(agents.errands.run, "hang")
        eventually(lambda: agents.asked == ["hang"], 10, "an errand")
        assert pool.submit(agents.errands.run, "hang").result(10)
        assert agents.asked == ["hang"]
        agents.let_go.set()
        first.result(10)
    assert agents.asked == ["hang", "hang"]


def test_it_leaves_who_did_not_do_its_part_alone_longer_each_time(agents, later):
    for rest in (4, 8, 16, 32, 64, 120, 120):
        assert agents.errands.run("bad")
        later(rest - 1)
        assert not agents.errands.run("bad")
        later(1)
    assert len(agents.asked) == 7


def test_it_begins_with_a_short_rest_again_after_a_success(agents, later, monkeypatch):
    agents.errands.run("bad")
    later(4)
    with monkeypatch.context() as patch:
        patch.setattr(agents.errands, "_do", lambda agent: True)
        agents.errands.run("bad")
    agents.errands.run("bad")
    later(4)
    assert agents.errands.run("bad")


@pytest.mark.usefixtures("later")
def test_it_goes_on_after_a_failure_of_ours(agents: Agents) -> None:
    agents.errands.run("broken")
    assert agents.errands.run("broken")
    assert agents.asked == ["broken", "broken"]
    assert agents.threads.sated() == []


def test_it_comes_back_for_who_waits_when_there_is_a_thread_g24() -> None:
    agents = Agents(4)
    for party in "abc":
        agents.threads.take(party)
    agents.errands.run("good")
    assert (agents.asked, agents.rung) == ([], [])
    agents.threads.leave("a")
    assert agents.rung == ["good"]


def test_it_gives_its_thread_back_after_a_while(agents, monkeypatch) -> None:
    monkeypatch.setattr(errands, "_WORK_SECONDS", 0.0)
    agents.errands._waiting = dict.fromkeys(("one", "two"))
    agents.errands.run("three")
    assert (agents.asked, agents.rung) == (["one"], ["two"])
