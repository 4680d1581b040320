"""How many tasks a slot claims together."""

import pytest

from tasks_app.runner.pace import MAX_BATCH, Pace
from tests.factories import snapshot


def batch_of(pace, *tasks):
    """How many of these make one batch."""
    fits = pace.batch()
    answers = [fits(task) for task in tasks]
    return answers.index(False) if False in answers else len(answers)


@pytest.fixture
def pace():
    pace = Pace(budget_ms=50)
    pace.learn("quick", 10)
    pace.learn("slow", 400)
    return pace


def quick(**values):
    return snapshot(task_type="quick", **values)


def test_it_takes_as_many_as_fit_the_budget(pace):
    assert batch_of(pace, *[quick()] * 9) == 5


@pytest.mark.parametrize("kind", ["slow", "unknown"])
def test_it_takes_a_slow_or_unknown_one_alone(pace, kind):
    assert batch_of(pace, snapshot(task_type=kind), quick()) == 1
    assert batch_of(pace, quick(), snapshot(task_type=kind)) == 1


def test_it_takes_one_that_was_tried_before_alone(pace):
    """It may be the one that kills its worker (G06)."""
    assert batch_of(pace, quick(attempt=1), quick()) == 1
    assert batch_of(pace, quick(), quick(attempt=1), quick()) == 1


def test_it_always_takes_the_first(pace):
    assert batch_of(pace, snapshot(task_type="slow")) == 1


def test_it_takes_no_more_than_the_largest_batch():
    pace = Pace(budget_ms=50)
    pace.learn("quick", 0.001)
    assert batch_of(pace, *[quick()] * 80) == MAX_BATCH


def test_it_learns_slowly_from_what_is_unusual(pace):
    pace.learn("quick", 110)
    assert batch_of(pace, *[quick()] * 9) == 1
    for _ in range(30):
        pace.learn("quick", 1)
    assert batch_of(pace, *[quick()] * 9) == 9


@pytest.mark.parametrize(
    ("fastest_ms", "expected"), [(None, 2), (100, 2), (10, 6), (0.1, MAX_BATCH + 1)]
)
def test_it_reads_one_more_than_could_fit(fastest_ms, expected):
    pace = Pace(budget_ms=50)
    if fastest_ms is not None:
        pace.learn("some", fastest_ms)
    assert pace.look_ahead() == expected
