"""What tests of the spine share; those that are about the keeper ask for `watching`."""

import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.db import connections

from agents_app import registry
from agents_app.probes import Anything
from tasks_app.models import Caller
from tasks_app.runner import slot
from tasks_app.runner.keeper import Keeper
from tasks_app.runner.pace import Pace
from tests import factories
from tests.conftest import quiet_keeper

# Taken from here by the tests of the console.
__all__ = ["quiet_keeper"]


@pytest.fixture(autouse=True)
def fresh_pace(monkeypatch: pytest.MonkeyPatch) -> Pace:
    """What this process has learned about run times: nothing yet."""
    pace = Pace(budget_ms=settings.SYNAPSE_BATCH_MILLISECONDS)
    monkeypatch.setattr(slot, "_pace", pace)
    return pace


@pytest.fixture
def watching(
    monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> Iterator[Keeper]:
    """A real keeper with quick eyes, whose thread ends with the test."""
    module = sys.modules[Keeper.__module__]
    monkeypatch.setattr(module, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(module, "_ASK_SECONDS", 0.0)
    keeper = Keeper()
    monkeypatch.setattr(slot, "keeper", keeper)
    thread = threading.Thread(target=_run_and_close, args=[keeper])
    keeper._thread = thread
    thread.start()
    yield keeper
    monkeypatch.setattr(keeper, "_look", _leave)
    keeper.take([_ANYTHING])
    thread.join()


@pytest.fixture
def declare() -> Iterator[Callable[..., None]]:
    """Declares a function as the handler of `test_type`, the only type there is."""

    def register(function, task_type="test_type", **limits):
        declaration = {"input": Anything, "output": Anything} | limits
        registry.handles(task_type, **declaration)(function)

    with registry.isolated_registry():
        yield register


@pytest.fixture
def other_caller(db: None) -> Caller:
    return Caller.objects.create(name="other")


@pytest.fixture
def olga(db: None):
    """An operator who may decide everything."""
    return factories.operator("olga")


@pytest.fixture
def oscar(db: None):
    """Another one."""
    return factories.operator("oscar")


_ANYTHING = object()


def _leave(held: object) -> None:
    raise SystemExit


def _run_and_close(keeper: Keeper) -> None:
    try:
        keeper._run()
    except SystemExit:
        connections.close_all()
