"""Two nodes, and what must be true of them once they have nothing more to say."""

from collections.abc import Generator, Iterator

import pytest

from tests.journeys.a2a import agreement
from tests.journeys.conftest import check
from tests.receiver import Receiver
from tests.stack import Client, Pair, Stack, Template


@pytest.fixture(scope="session")
def nodes(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    with Pair(template, tmp_path_factory.mktemp("pair")) as pair:
        yield pair


@pytest.fixture
def north(nodes: Pair, receiver: Receiver) -> Iterator[Stack]:
    """Where callers submit. In the end both nodes tell the same history."""
    nodes.north.replies.clear()
    yield nodes.north
    nodes.south.heal()
    check(nodes.north, receiver)
    agreement.check(nodes.north, nodes.south)


@pytest.fixture
def south(nodes: Pair) -> Stack:
    """The only one that can do the probes."""
    return nodes.south


@pytest.fixture
def client(north: Stack) -> Client:
    """A caller of north."""
    return north.client()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows the end of every log of both nodes."""
    report = yield
    used = getattr(item, "funcargs", {}).values()
    if report.failed:
        for pair in {one for one in used if isinstance(one, Pair)}:
            report.sections += [
                (f"log of {node.agent_id} {name}", text)
                for node in pair.nodes
                for name, text in node.logs().items()
            ]
    return report
