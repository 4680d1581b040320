"""The embedded broker: bells as files, shared by processes that race for them."""

import logging
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection, Queue
from kombu.simple import SimpleQueue
from kombu.transport import TRANSPORT_ALIASES

from synapse_site import spool

LANE = "lane.default"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "broker"


@pytest.fixture
def connect(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    monkeypatch.setitem(TRANSPORT_ALIASES, "spool", "synapse_site.spool:Transport")
    opened: list[Connection] = []

    def open_connection() -> Connection:
        options = {"folder": str(folder)}
        opened.append(Connection("spool://", transport_options=options))
        return opened[-1]

    yield open_connection
    for connection in opened:
        connection.release()


def bells(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.bell"))


def test_it_carries_a_bell_from_one_connection_to_another(connect, folder):
    connect().SimpleQueue(LANE).put("ring")

    bell = connect().SimpleQueue(LANE).get(block=False)

    assert bell.payload == "ring"
    assert bells(folder) == []


def test_it_keeps_bells_in_order(connect):
    queue = connect().SimpleQueue(LANE)
    for number in range(5):
        queue.put(number)

    assert [queue.get(block=False).payload for _ in range(5)] == [0, 1, 2, 3, 4]


class Loop:
    """The event loop of a worker, turned by hand."""

    def call_repeatedly(self, seconds, function, arguments):
        assert seconds == spool.POLL_SECONDS
        self.turn = lambda: function(*arguments)


def test_it_hands_all_bells_to_the_loop_of_a_worker(connect):
    connection, loop = connect(), Loop()
    heard: list[str] = []
    hear = [lambda body, _: heard.append(body)]
    connection.transport.register_with_event_loop(connection.connection, loop)
    with connection.Consumer([Queue(LANE)], callbacks=hear, no_ack=True):
        loop.turn()
        assert heard == []
        for number in range(3):
            connect().SimpleQueue(LANE).put(number)
        loop.turn()

    assert heard == [0, 1, 2]


def test_it_leaves_the_bells_of_other_lanes_alone(connect):
    connect().SimpleQueue("lane.default.gpu").put("ring")

    with pytest.raises(Empty):
        connect().default_channel._get(LANE)
    assert connect().default_channel._size("lane.default.gpu") == 1


def test_it_gives_each_bell_to_exactly_one_of_racing_consumers(connect):
    queue = connect().SimpleQueue(LANE)
    for number in range(200):
        queue.put(number)
    heard: list[int] = []

    def consume(source: SimpleQueue) -> None:
        while True:
            try:
                heard.append(source.get(block=False).payload)
            except Empty:
                return

    threads = [
        threading.Thread(target=consume, args=(connect().SimpleQueue(LANE),))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(heard) == list(range(200))


def test_it_never_shows_a_bell_that_is_still_being_written(connect, folder):
    channel = connect().default_channel
    (folder / f".1-a.{LANE}.bell").touch()

    with pytest.raises(Empty):
        channel._get(LANE)


def test_it_drops_a_damaged_bell_and_goes_on(connect, folder, caplog):
    queue = connect().SimpleQueue(LANE)
    (folder / f"0-cut.{LANE}.bell").touch()
    queue.put("ring")

    with caplog.at_level(logging.WARNING, logger=spool.__name__):
        assert queue.get(block=False).payload == "ring"

    assert "damaged bell: 0-cut" in caplog.text


def test_it_purges_one_lane(connect):
    queue = connect().SimpleQueue(LANE)
    queue.put("ring")
    queue.put("ring")

    assert queue.clear() == 2
    assert connect().default_channel._size(LANE) == 0


def test_it_keeps_its_folder_to_its_owner(connect, folder):
    connect().default_channel  # noqa: B018 opening the channel is the act

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_it_refuses_to_run_without_a_folder(monkeypatch):
    monkeypatch.setitem(TRANSPORT_ALIASES, "spool", "synapse_site.spool:Transport")

    with pytest.raises(ValueError, match="folder"):
        Connection("spool://").default_channel  # noqa: B018 opening is the act
