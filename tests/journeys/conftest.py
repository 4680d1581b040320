"""The stacks that journeys use, and their logs when one fails."""

from collections.abc import Generator, Iterator

import pytest

from tests.journeys import history
from tests.receiver import Receiver
from tests.stack import Client, Stack, Template, eventually

SETTLE_SECONDS = 60.0


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Template]:
    """The database that all stacks start with."""
    made = Template.make(tmp_path_factory.mktemp("template"))
    yield made
    made.drop()


@pytest.fixture(scope="session")
def shared(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    with Stack(template, tmp_path_factory.mktemp("stack")) as stack:
        yield stack


@pytest.fixture
def stack(shared: Stack) -> Stack:
    """A stack for journeys that break nothing."""
    return shared


@pytest.fixture(scope="session")
def shaken(
    template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    with Stack(template, tmp_path_factory.mktemp("faults")) as stack:
        yield stack


@pytest.fixture
def faults(shaken: Stack, receiver: Receiver) -> Iterator[Stack]:
    """A stack that may be broken: healed afterwards, and its history checked."""
    shaken.replies.clear()
    yield shaken
    shaken.heal()
    check(shaken, receiver)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Answers 200 unless told otherwise."""
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def client(stack: Stack) -> Client:
    return stack.client()


def check(stack: Stack, receiver: Receiver) -> None:
    """Wait until all that was promised is done; then nothing may be unexplained."""

    def settled() -> bool:
        seen = history.read(stack.replies, stack.ledger)
        waiting = any(row.state == "waiting" for row in seen.deliveries)
        return not waiting and not any(history.every_accepted_task_ends(seen))

    eventually(settled, SETTLE_SECONDS, lambda: _unsettled(stack), interval=0.2)
    seen = history.read(stack.replies, stack.ledger, receiver.requests)
    assert history.breaches(seen) == []


def _unsettled(stack: Stack) -> str:
    seen = history.read(stack.replies, stack.ledger)
    waiting = [row for row in seen.deliveries if row.state == "waiting"]
    return f"{list(history.every_accepted_task_ends(seen))}, callbacks: {waiting}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows the end of every log."""
    report = yield
    used = getattr(item, "funcargs", {}).values()
    if report.failed:
        for stack in {one for one in used if isinstance(one, Stack)}:
            report.sections += [
                (f"log of {name}", text) for name, text in stack.logs().items()
            ]
    return report
