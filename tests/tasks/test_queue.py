"""The doorbell: rung once while one is outstanding, and never in anybody's way."""

import threading

import pytest
from django.core.cache import caches
from django.db import transaction

from tasks_app import queue

REAL_RING, REAL_TAKE_DOWN = queue._ring, queue._take_down
LOCMEM = "django.core.cache.backends.locmem.LocMemCache"
FILES = "django.core.cache.backends.filebased.FileBasedCache"


class Broker:
    """Takes bells instead of Celery, or fails."""

    def __init__(self):
        self.sent = []
        self.tries = 0
        self.broken = False

    def send_task(self, name, args, queue, countdown):
        self.tries += 1
        if self.broken:
            raise ConnectionError("no broker")
        self.sent.append((name, args, queue, countdown))
        if hasattr(self, "sounded"):
            self.sounded.set()


@pytest.fixture(params=[LOCMEM, FILES])
def broker(request, bells, monkeypatch, settings, tmp_path):
    """The real queue, its flags in a real cache, before a recording broker."""
    flags = {"BACKEND": request.param, "LOCATION": str(tmp_path)}
    settings.CACHES = settings.CACHES | {"bells": flags}
    monkeypatch.setattr(queue, "_ring", REAL_RING)
    monkeypatch.setattr(queue, "_take_down", REAL_TAKE_DOWN)
    monkeypatch.setattr(queue, "_APART_SECONDS", 0)
    monkeypatch.setattr(queue, "_echo", queue._Echo())
    monkeypatch.setattr(queue, "_broker", queue._Neighbour())
    monkeypatch.setattr(queue, "_flags", queue._Neighbour())
    broker = Broker()
    monkeypatch.setattr(queue, "current_app", broker)
    return broker


@pytest.fixture
def ring(db, django_capture_on_commit_callbacks):
    """Rings as after a commit."""

    def now(lane="default", **how):
        with django_capture_on_commit_callbacks(execute=True):
            queue.ring(lane, **how)

    return now


BELL = ("synapse.advance", ["default"], "lane.default", None)


def test_it_rings_the_lane(broker, ring):
    ring()
    assert broker.sent == [BELL]


def test_it_rings_once_while_a_bell_is_outstanding(broker, ring):
    ring()
    ring()
    assert broker.sent == [BELL]


def test_it_rings_again_after_it_was_heard(broker, ring):
    ring()
    queue.heard("default")
    ring()
    assert broker.sent == [BELL, BELL]


def test_it_keeps_lanes_and_the_courier_apart(
    broker, ring, django_capture_on_commit_callbacks
):
    ring()
    ring("gpu")
    with django_capture_on_commit_callbacks(execute=True):
        queue.ring_courier()
        queue.ring_courier()
    queue.heard("gpu")
    ring()
    assert [sent[2] for sent in broker.sent] == ["lane.default", "lane.gpu", "courier"]


def test_it_rings_the_courier_again_after_it_was_heard(
    broker, django_capture_on_commit_callbacks, db
):
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            queue.ring_courier()
        queue.courier_heard()
    assert broker.sent == [("synapse.deliver", [], "courier", None)] * 2


def test_it_has_one_job_at_a_mailbox_until_the_round_is_over(
    broker, django_capture_on_commit_callbacks, db
):
    def ring():
        with django_capture_on_commit_callbacks(execute=True):
            queue.ring_mailbox("north")

    ring()
    ring()
    assert len(broker.sent) == 1
    queue.mailbox_done("north")
    ring()
    assert broker.sent == [("synapse.collect", ["north"], "courier", None)] * 2


def test_it_rings_later_beside_a_bell_that_is_outstanding(broker, ring):
    """A retry in five seconds must not be swallowed by a bell of now."""
    ring()
    ring(in_seconds=5.0)
    ring(in_seconds=30.0)
    assert [sent[3] for sent in broker.sent] == [None, 5.0, 30.0]


def test_it_forgets_a_flag_whose_bell_was_lost(broker, ring, monkeypatch):
    monkeypatch.setattr(queue, "_FLAG_SECONDS", 0)
    ring()
    ring()
    assert broker.sent == [BELL, BELL]


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_the_commit(broker):
    with transaction.atomic():
        queue.ring("default")
        assert broker.sent == []
    assert broker.sent == [BELL]


@pytest.mark.django_db(transaction=True)
def test_it_does_not_ring_for_what_was_rolled_back(broker):
    with transaction.atomic():
        queue.ring("default")
        transaction.set_rollback(True)
    assert broker.tries == 0


def test_it_lets_a_submit_go_on_when_the_broker_fails(broker, ring, caplog):
    """G08: the row is there; the sweep will ring."""
    broker.broken = True
    ring()
    assert broker.tries == 1
    assert "The broker did not take a bell for lane.default" in caplog.text


def test_it_does_not_wait_for_a_broken_broker_again_and_again(broker, ring):
    broker.broken = True
    for lane in ("a", "b", "c"):
        ring(lane)
        ring(lane, in_seconds=5)
    assert broker.tries == 1


def test_it_rings_again_after_the_rest(broker, ring, monkeypatch):
    broker.broken = True
    ring("other")
    broker.broken = False
    rest(monkeypatch)
    ring()
    assert broker.sent == [BELL]


def rest(monkeypatch):
    """Let the time pass in which a failure is remembered."""
    now = queue.time.monotonic()
    monkeypatch.setattr(queue.time, "monotonic", lambda: now + queue._REST_SECONDS + 1)


@pytest.fixture
def flags_gone(broker, monkeypatch):
    """Flags that fail; a list with the name of each that was asked for."""
    asked = []

    def gone(name, *_):
        asked.append(name)
        raise OSError("no cache")

    monkeypatch.setattr(caches["bells"], "add", gone)
    monkeypatch.setattr(caches["bells"], "delete", gone)
    return asked


def test_it_rings_each_time_when_the_flags_cannot_be_read(
    broker, ring, flags_gone, caplog
):
    ring()
    ring()
    assert broker.sent == [BELL, BELL]
    assert "The bell flag of lane.default cannot be read" in caplog.text


def test_it_does_not_wait_for_broken_flags_again_and_again(
    broker, ring, flags_gone, monkeypatch
):
    """G08: one wait for the flags, one for the broker, then none."""
    broker.broken = True
    for lane in ("a", "b"):
        ring(lane)
    assert (flags_gone, broker.tries) == (["lane.a"], 1)
    broker.broken = False
    rest(monkeypatch)
    ring("c")
    ring("d")
    assert flags_gone == ["lane.a", "lane.c"]
    assert [sent[2] for sent in broker.sent] == ["lane.c", "lane.d"]


def test_it_waits_for_a_dead_redis_for_two_seconds_at_most(settings):
    """G08: what both of them may take, once each."""
    assert settings.FLAG_SECONDS + settings.BELL_SECONDS <= 2
    if not settings.EMBEDDED_BROKER:
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        assert options["socket_timeout"] == settings.BELL_SECONDS
        assert options["max_retries"] == 0
        flags = settings.CACHES["bells"]["OPTIONS"]
        assert flags["socket_timeout"] == settings.FLAG_SECONDS


def test_it_rings_when_its_flags_cannot_be_written(broker, ring, settings, tmp_path):
    """The embedded setup: a flag folder that cannot be made."""
    (tmp_path / "file").touch()
    flags = {"BACKEND": FILES, "LOCATION": str(tmp_path / "file" / "bells")}
    settings.CACHES = settings.CACHES | {"bells": flags}
    ring()
    ring()
    assert broker.sent == [BELL, BELL]


def test_it_goes_on_when_a_flag_cannot_be_taken_down(flags_gone, caplog):
    queue.heard("default")
    assert "The bell flag of lane.default stays up" in caplog.text


def test_it_leaves_a_late_bell_to_the_sweep(broker, ring):
    ring(in_seconds=queue.LONGEST_WAIT_SECONDS + 1)
    assert broker.sent == []


def test_it_sounds_the_first_and_the_last_of_many_rings(broker, ring, monkeypatch):
    """A worker that keeps up takes the flag down each time."""
    monkeypatch.setattr(queue, "_APART_SECONDS", 0.05)
    sounded = threading.Event()
    monkeypatch.setattr(queue, "_echo", queue._Echo())
    ring()
    assert len(broker.sent) == 1
    monkeypatch.setattr(broker, "sounded", sounded, raising=False)
    for _ in range(20):
        queue.heard("default")
        ring()
    assert sounded.wait(10)
    assert broker.sent == [BELL, BELL]
