"""The broker is disposable (G07), and a submit never hangs on it (G08)."""

from datetime import timedelta

import pytest
import redis

from tests.stack import Client, Stack
from tests.stack.product import WITH_REDIS

pytestmark = pytest.mark.journey

needs_redis = pytest.mark.skipif(
    not WITH_REDIS, reason="the embedded broker is a folder: nothing can stop it"
)


def flush(stack: Stack) -> None:
    """Lose every bell and every flag."""
    if WITH_REDIS:
        redis.Redis.from_url(stack.broker_url).flushall()
        return
    for name in ("broker", "bells"):
        for path in (stack.folder / name).rglob("*"):
            if path.is_file():
                path.unlink(missing_ok=True)


def submit_in_time(client: Client) -> str:
    """A submit that answers within the three seconds of G08."""
    task_id = client.submit("probe_echo")
    last = client.replies[-1]
    assert last.answered_at - last.asked_at < timedelta(seconds=3)
    return task_id


def test_g07_a_flushed_broker_loses_nothing(faults: Stack) -> None:
    client = faults.client()
    worker = faults.worker.pid
    faults.worker.pause()
    tasks = [client.submit("probe_ledger", {"file": "flushed"}) for _ in range(20)]
    flush(faults)
    faults.worker.resume()
    for task_id in tasks:
        assert client.result(task_id) == {"attempt": 1}
    assert len(faults.notes("flushed")) == 2 * len(tasks)
    assert faults.worker.pid == worker


def test_g07_bells_that_are_lost_are_rung_again(faults: Stack) -> None:
    client = faults.client()
    faults.worker.kill()
    tasks = [client.submit("probe_echo") for _ in range(20)]
    flush(faults)
    faults.start("worker")
    for task_id in tasks:
        client.wait_for(task_id, "completed")


@needs_redis
def test_g07_redis_may_be_restarted_at_any_time(faults: Stack) -> None:
    client = faults.client()
    tasks = []
    for _ in range(3):
        faults.redis.kill()
        tasks.append(submit_in_time(client))
        faults.start("redis")
        tasks.append(submit_in_time(client))
    for task_id in tasks:
        client.wait_for(task_id, "completed", timeout=40)
    assert faults.worker.alive


@needs_redis
def test_g08_a_submit_does_not_wait_for_a_dead_redis(faults: Stack) -> None:
    client = faults.client()
    faults.redis.kill()
    tasks = [submit_in_time(client) for _ in range(3)]
    faults.start("redis")
    for task_id in tasks:
        client.wait_for(task_id, "completed", timeout=40)


@needs_redis
def test_g08_a_submit_does_not_wait_for_a_silent_redis(faults: Stack) -> None:
    client = faults.client()
    faults.redis.pause()
    tasks = [submit_in_time(client) for _ in range(3)]
    faults.redis.resume()
    for task_id in tasks:
        client.wait_for(task_id, "completed", timeout=40)
