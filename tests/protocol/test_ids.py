"""Identifiers sort by creation and never repeat, not even after a fork."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from uuid import UUID

from agents_app.protocol.ids import new_id, new_message_id


def test_it_makes_version_seven_of_the_standard_type():
    made = new_id()
    assert type(made) is UUID
    assert made.version == 7


def test_it_rises_strictly_in_one_process():
    made = [new_id() for _ in range(5000)]
    assert made == sorted(set(made))


def test_it_makes_message_ids_that_fit_a_header():
    made = new_message_id()
    assert str(UUID(made)) == made


def test_it_never_repeats_in_forked_workers():
    new_id()  # The children inherit a generator that is already running.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(2, mp_context=context) as workers:
        futures = [workers.submit(_many) for _ in range(4)]
        made = [one for future in futures for one in future.result()]
    assert len(set(made)) == len(made) == 8000


def _many() -> list[UUID]:
    return [new_id() for _ in range(2000)]
