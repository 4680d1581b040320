"""Two writers that wait for each other: both are done in the end."""

import threading
from contextlib import nullcontext

import pytest
from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected, LockNotAvailable, SerializationFailure

from tasks_app.collisions import is_collision, once_more
from tasks_app.models import Caller
from tests.tasks.racing import race

pytestmark = pytest.mark.django_db(transaction=True)


def _failed(cause: Exception) -> OperationalError:
    error = OperationalError()
    error.__cause__ = cause
    return error


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has one writer at a time"
)
def test_it_lets_both_of_two_writers_finish() -> None:
    rows = [Caller.objects.create(name=name) for name in ("a", "b")]
    both_hold_one = threading.Barrier(2)

    def writer(mark: str, order: list[Caller]):
        tries = []

        def write() -> int:
            with transaction.atomic():
                for row in order:
                    Caller.objects.filter(pk=row.pk).update(callback_secret=mark)
                    if not tries:
                        tries.append(1)
                        both_hold_one.wait(timeout=10)
            return len(order)

        return lambda: once_more(write)

    done = race(writer("x", rows), writer("y", rows[::-1]))
    assert done == [2, 2]
    assert len(set(Caller.objects.values_list("callback_secret", flat=True))) == 1


def test_it_tries_twice_at_most() -> None:
    tries = []

    def write() -> None:
        tries.append(1)
        raise _failed(SerializationFailure())

    with pytest.raises(OperationalError):
        once_more(write)
    assert len(tries) == 2


@pytest.mark.parametrize(
    ("wrap", "cause"),
    [
        (transaction.atomic, DeadlockDetected()),  # The rest of it is lost.
        (nullcontext, LockNotAvailable()),
    ],
)
def test_it_passes_on_what_it_cannot_cure(wrap, cause) -> None:
    tries = []

    def write() -> None:
        tries.append(1)
        raise _failed(cause)

    with pytest.raises(OperationalError), wrap():
        once_more(write)
    assert len(tries) == 1


def test_it_knows_both_kinds() -> None:
    assert is_collision(_failed(DeadlockDetected()))
    assert is_collision(_failed(SerializationFailure()))
    assert not is_collision(OperationalError())
