"""The history checker finds what it is there to find."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.journeys.history import History, breaches
from tests.stack.client import Reply
from tests.stack.ledger import AttemptRow, DeliveryRow, MessageRow, TaskRow

BEGIN = datetime(2024, 5, 31, 12, 0, tzinfo=UTC)


def at(second: float) -> datetime:
    return BEGIN + timedelta(seconds=second)


def reply(second: float, status: str, path: str = "/task/t", code: int = 200) -> Reply:
    return Reply(
        asked_at=at(second),
        answered_at=at(second + 0.1),
        method="GET",
        path=path,
        code=code,
        task_id="t",
        status=status,
    )


def attempt(number: int, start: float, end: float) -> AttemptRow:
    return AttemptRow(
        task_id="t",
        number=number,
        worker="w",
        started_at=at(start),
        ended_at=at(end),
        outcome="lost",
    )


def message(kind: str) -> MessageRow:
    return MessageRow(task_id="t", generation=9, type=kind, created_at=BEGIN)


FINAL = DeliveryRow(
    task_id="t",
    sequence=2,
    event="completed",
    terminal=True,
    state="delivered",
    tries=1,
)
GOOD = History(
    replies=[
        reply(0, "received", "/task", 202),
        reply(1, "processing"),
        reply(2, "completed"),
    ],
    tasks=[
        TaskRow(
            id="t", state="completed", attempt=2, callback_url="http://x", error=None
        )
    ],
    messages=[message("p2p:task_request"), message("p2p:task_complete")],
    attempts=[attempt(1, 0, 1), attempt(2, 1, 2)],
    deliveries=[FINAL],
)


def rules(history: History) -> list[str]:
    return [breach.split()[0] for breach in breaches(history)]


def test_it_accepts_a_good_history():
    assert breaches(GOOD) == []


def test_it_misses_a_task_that_does_not_end():
    stuck = replace(GOOD.tasks[0], state="executing")
    assert rules(replace(GOOD, tasks=[stuck])) == ["I1"]


def test_it_misses_a_task_that_is_gone():
    assert rules(replace(GOOD, tasks=[])) == ["I1"]


def test_it_counts_the_messages_that_end_a_task():
    twice = [*GOOD.messages, message("p2p:task_failed")]
    assert rules(replace(GOOD, messages=twice)) == ["I2"]


def test_it_compares_the_last_message_with_the_state():
    assert rules(replace(GOOD, messages=[message("p2p:task_cancel")])) == ["I2"]


def test_it_sees_a_status_go_back():
    back = [*GOOD.replies, reply(3, "processing")]
    assert rules(replace(GOOD, replies=back)) == ["I3"]


def test_it_sees_an_end_change():
    changed = [*GOOD.replies, reply(3, "failed")]
    assert rules(replace(GOOD, replies=changed)) == ["I3"]


def test_it_allows_replies_that_cross_on_the_way():
    crossing = replace(reply(1.9, "processing"), answered_at=at(5))
    assert breaches(replace(GOOD, replies=[*GOOD.replies, crossing])) == []


def test_it_holds_a_cancel_to_its_word():
    told = [*GOOD.replies, reply(2.5, "completed", "/task/t/cancel")]
    assert rules(replace(GOOD, replies=told)) == ["I4"]


def test_it_wants_one_final_callback():
    assert rules(replace(GOOD, deliveries=[])) == ["I5"]
    assert rules(replace(GOOD, deliveries=[FINAL, FINAL])) == ["I5"]


def test_it_sees_attempts_overlap():
    both = [attempt(1, 0, 2), attempt(2, 1, 3)]
    assert rules(replace(GOOD, attempts=both)) == ["I6"]


def test_it_sees_a_server_error():
    broken = [*GOOD.replies, reply(3, "", code=500)]
    assert rules(replace(GOOD, replies=broken)) == ["I8"]
