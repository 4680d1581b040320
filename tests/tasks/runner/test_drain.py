"""A slot hears a bell, works, and gives the slot back in time."""

import pytest
from django.db import transaction

from tasks_app import queue, runner
from tasks_app.models import Task
from tasks_app.runner import slot
from tests.factories import submitted


@pytest.fixture
def heard(monkeypatch):
    """The flags that were taken down."""
    names = []
    monkeypatch.setattr(queue, "_take_down", names.append)
    return names


def done():
    return Task.objects.filter(state="completed").count()


def test_it_takes_the_flag_down_before_it_looks(caller, declare, heard):
    """A bell that is rung while it works counts again."""
    declare(lambda ctx: {"heard": list(heard)})
    submitted(caller, "test_type")
    runner.drain("default")
    assert Task.objects.get().result == {"heard": ["lane.default"]}


def test_it_goes_on_until_the_lane_is_empty(caller):
    for _ in range(4):
        submitted(caller)
    runner.drain("default")
    assert done() == 4


def test_it_runs_what_comes_while_it_works(caller, declare):
    def handler(ctx):
        if ctx.payload.again:
            submitted(caller, "test_type", payload={"again": False})
        return {}

    declare(handler)
    submitted(caller, "test_type", payload={"again": True})
    runner.drain("default")
    assert done() == 2


def test_it_gives_the_slot_back_after_its_time_and_rings_again(
    caller, monkeypatch, bells, django_capture_on_commit_callbacks
):
    """Also when it saw no more: something may have come since."""
    monkeypatch.setattr(slot, "_DRAIN_SECONDS", -1.0)
    submitted(caller)
    with django_capture_on_commit_callbacks(execute=True):
        runner.drain("default")
    assert done() == 1
    assert bells == [("synapse.advance", ["default"], "lane.default", 0)]


def test_it_leaves_the_rest_to_the_next_slot(caller, monkeypatch):
    monkeypatch.setattr(slot, "_DRAIN_SECONDS", -1.0)
    for _ in range(2):
        submitted(caller)
    runner.drain("default")
    assert done() == 1


def test_it_rings_no_more_when_the_lane_is_empty(
    caller, bells, django_capture_on_commit_callbacks
):
    submitted(caller)
    with django_capture_on_commit_callbacks(execute=True):
        runner.drain("default")
        runner.drain("default")
    assert bells == []


@pytest.mark.django_db(transaction=True)
def test_it_holds_no_transaction_while_a_handler_runs(caller, declare):
    inside = []
    declare(lambda ctx: inside.append(transaction.get_connection().in_atomic_block))
    submitted(caller, "test_type")
    runner.drain("default")
    assert inside == [False]


def test_it_holds_nothing_when_it_is_done(caller):
    submitted(caller)
    runner.drain("default")
    assert runner.keeper._held == []
