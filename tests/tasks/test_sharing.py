"""Threads of a courier: whoever hangs leaves as many as he holds (G24)."""

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


def test_it_knows_how_many_threads_there_are() -> None:
    threads = Threads(16)
    threads.resize(4)
    assert _fill(threads, "caller:a") == 2
