"""Many couriers at once: each callback once, and a bad receiver harms only itself."""

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import pytest
from django.db import connection, connections
from django.db.models import F
from django.utils import timezone

from tasks_app import delivery, ledger, queue
from tasks_app.delivery.claiming import claim_next
from tasks_app.models import Delivery
from tasks_app.sharing import Threads
from tests.receiver import Receiver, hang
from tests.stack import eventually
from tests.tasks.away import away_for
from tests.tasks.delivery.claims import claim

pytestmark = pytest.mark.django_db(transaction=True)


def _in_threads(number: int, work: Callable[[], object]) -> list[object]:
    """The results of `work`, started everywhere at the same moment."""
    together = Barrier(number)

    def start() -> object:
        connection.ensure_connection()
        together.wait()
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(number) as pool:
        return [done.result() for done in [pool.submit(start) for _ in range(number)]]


class Pool:
    """A courier: 16 threads, one of them for each bell."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(16)
        self._done: list[Future[None]] = []

    def ring(self) -> None:
        self._done.append(self._threads.submit(self._work))

    def _work(self) -> None:
        try:
            delivery.deliver_due()
        finally:
            connections.close_all()

    def finish(self) -> None:
        for done in self._done:  # Grows while it is read: bells ring bells.
            done.result()
        self._threads.shutdown()


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    pool = Pool()
    monkeypatch.setattr(
        queue, "_ring", lambda job, args, lane, seconds: seconds or pool.ring()
    )
    yield pool
    pool.finish()


def test_it_delivers_each_once_with_doubled_couriers(receiver, put):
    rows = [put(receiver.url(f"/{number}")) for number in range(20)]
    _in_threads(2, delivery.deliver_due)
    ids = [request.headers["webhook-id"] for request in receiver.requests]
    assert sorted(ids) == sorted(str(row.pk) for row in rows)
    assert set(Delivery.objects.values_list("state", "tries")) == {("delivered", 1)}


def test_it_has_few_in_flight_per_endpoint_whoever_claims(put):
    for number in range(20):
        put(f"http://one.test/{number}")
    claimed = _in_threads(8, lambda: claim(timezone.now()))
    taken = [row for row in claimed if row is not None]
    assert len(taken) == len({row.pk for row in taken}) == 4


@pytest.mark.parametrize("part", ["UPDATE", "JOIN"], ids=["claim", "load"])
def test_it_keeps_no_thread_of_a_claim_that_the_database_lost_g24(put, part):
    put("http://one.test/")
    threads = Threads(2)
    with away_for(part), pytest.raises(ledger.AWAY):
        claim_next(timezone.now(), threads)
    assert threads.sated() == []


def test_it_claims_from_each_endpoint(put):
    for number in range(8):
        put(f"http://{number}.test/")
    claimed = _in_threads(8, lambda: claim(timezone.now()))
    assert len({row.pk for row in claimed}) == 8


def test_it_delivers_past_a_hanging_receiver_g24(receiver, put, pool):
    with Receiver(hang()) as hanging:
        for number in range(100):
            put(hanging.url(f"/{number}"))
        put(receiver.url("/good"))
        pool.ring()
        receiver.wait_for(1, timeout=5, path="/good")
        assert hanging.connections <= 4


def test_it_delivers_past_many_hanging_receivers_of_one_caller_g24(receiver, put, pool):
    with ExitStack() as opened:
        for number in range(8):  # Four each would be twice the threads.
            hanging = opened.enter_context(Receiver(hang()))
            for _ in range(8):
                put(hanging.url(f"/{number}"))
        put(receiver.url("/good"), party="caller:other")
        pool.ring()
        receiver.wait_for(1, timeout=5, path="/good")


def test_it_has_few_in_flight_to_one_address_under_all_its_names_g24(
    put, pool, monkeypatch
):
    loopback = [(None, None, None, "", ("127.0.0.1", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: loopback)
    with Receiver(hang()) as hanging:
        rows = [put(hanging.url(host=f"{name}.example")) for name in "abcdefgh"]
        pool.ring()
        hanging.wait_for(4)
        eventually(lambda: _put_back(rows) == 4, 5, "the others to be put back")
        assert hanging.connections == 4


def _put_back(rows: list[Delivery]) -> int:
    """How many of them were claimed and let go without a try."""
    ids = [row.pk for row in rows]
    later = Delivery.objects.filter(pk__in=ids, next_try_at__gt=F("created_at"))
    return later.filter(tries=0, leased_until=None, attempts=None).count()


def test_it_serves_a_party_with_one_between_those_of_a_long_backlog_g24(put):
    threads = Threads()
    for number in range(20):
        put(f"http://{number}.test/")
    alone = put("http://alone.test/", party="agent:alone")
    claimed = [claim_next(timezone.now(), threads) for _ in range(2)]
    assert alone in claimed
