"""Threads of a courier: one that hangs leaves as many as it holds (G24)."""

import pytest
from django.db import OperationalError

from tasks_app.sharing import Threads


def _fill(threads: Threads, party: str) -> int:
    """How many the party gets, now."""
    number = 0
    while threads.take(party):
        number += 1
    return number


def test_it_gives_nobody_more_than_half() -> None:
    threads = Threads(16)
    assert _fill(threads, "caller:a") == 8
    assert threads.sated() == ["caller:a"]


def test_it_gives_each_next_one_half_of_what_is_left() -> None:
    threads = Threads(16)
    assert [_fill(threads, party) for party in "abcd"] == [8, 4, 2, 1]


def test_it_gives_the_last_thread_to_one_who_has_none() -> None:
    threads = Threads(1)
    assert _fill(threads, "caller:a") == 1


def test_it_gives_a_thread_again_that_was_left() -> None:
    threads = Threads(4)
    _fill(threads, "caller:a")
    threads.leave("caller:a")
    assert threads.sated() == []
    assert threads.take("caller:a")


def test_it_keeps_a_thread_for_what_was_claimed() -> None:
    threads = Threads(2)
    assert threads.take_for("caller:a", lambda: "claimed") == "claimed"
    assert threads.sated() == ["caller:a"]
    assert threads.take_for("caller:a", lambda: "more") is None


def test_it_takes_no_thread_for_nothing() -> None:
    threads = Threads(2)
    assert threads.take_for("caller:a", lambda: None) is None
    assert threads.sated() == []


def test_it_takes_no_thread_while_the_database_is_away() -> None:
    threads = Threads(2)

    def claim() -> str:
        raise OperationalError("cut off")

    with pytest.raises(OperationalError):
        threads.take_for("caller:a", claim)
    assert threads.sated() == []


def test_it_knows_how_many_threads_there_are() -> None:
    threads = Threads(16)
    threads.resize(4)
    assert _fill(threads, "caller:a") == 2
