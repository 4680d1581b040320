"""What every test may ask for: a caller with a key, silent bells, a quick drain."""

from collections.abc import Callable

import pytest

from agents_app.protocol import signing
from tasks_app import errands, queue, runner
from tasks_app.models import Caller, CallerKey
from tasks_app.secrets import vault

Ring = tuple[str, list[str], str, float]


@pytest.fixture(autouse=True)
def bells(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> list[Ring]:
    """Every bell that was rung, instead of a broker; journeys have a real one."""
    rung: list[Ring] = []
    if request.node.get_closest_marker("journey") is None:
        monkeypatch.setattr(queue, "_ring", lambda *ring: rung.append(ring))
        monkeypatch.setattr(queue, "_take_down", lambda name: None)
    return rung


@pytest.fixture(autouse=True)
def rested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents of one name in two tests are not the same."""
    monkeypatch.setattr(errands, "_FIRST_REST", 0.0)


@pytest.fixture(autouse=True)
def quiet_keeper(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keeper of this process takes and drops tasks, but never looks at them.

    Its thread would read by itself what a test has not committed, and keep a connection
    to the test database. Workers of journeys are processes of their own.
    """
    if request.node.get_closest_marker("journey") is None:
        monkeypatch.setattr(runner.keeper, "_look", lambda held: None)


@pytest.fixture
def caller(db: None) -> Caller:
    """A caller with a callback secret."""
    return Caller.objects.create(
        name="acme", callback_secret=vault().seal(signing.new_secret())
    )


@pytest.fixture
def api_key(caller: Caller) -> str:
    """A valid key of `caller`, in clear text."""
    _, clear = CallerKey.objects.create_key(name="test", caller=caller)
    return clear


@pytest.fixture
def stranger_key(db: None) -> str:
    """A valid key of somebody else."""
    stranger = Caller.objects.create(name="stranger")
    _, clear = CallerKey.objects.create_key(name="test", caller=stranger)
    return clear


@pytest.fixture
def drain(db: None) -> Callable[[], None]:
    """Run all ready work of the default lane here and now."""
    return lambda: runner.drain("default")
