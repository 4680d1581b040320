"""G21: what each kind of answer means. Pure, so spacing is exact here."""

from datetime import UTC, datetime, timedelta

import pytest

from agents_app.outbound import Reply, Trouble
from agents_app.protocol.retry import CALLBACKS, RetryPolicy
from tasks_app.delivery.judging import Mishap, Verdict, judge
from tasks_app.models import DeliveryState

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
DAY = 24 * 3600
STEADY = RetryPolicy(delays_s=(0, 5, 300, DAY))


def _judge(tried, failures=1, policy=STEADY, random=0.5):
    return judge(tried, failures=failures, policy=policy, now=NOW, random=random)


def _wait(verdict: Verdict) -> float:
    assert verdict.state is DeliveryState.WAITING
    assert verdict.next_try_at is not None
    return (verdict.next_try_at - NOW) / timedelta(seconds=1)


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_it_takes_any_2xx_for_delivered(status):
    assert _judge(Reply(status=status)) == Verdict(state=DeliveryState.DELIVERED)


@pytest.mark.parametrize(
    "tried",
    [
        Reply(status=500),
        Reply(status=404),
        Reply(status=301),
        Reply(status=200, error=Trouble.RESET),
        Reply(error=Trouble.DNS),
        Reply(error=Trouble.CONNECT),
        Reply(error=Trouble.TLS),
        Reply(error=Trouble.TIMEOUT),
        Reply(error=Trouble.PROTOCOL),
        Mishap.INTERNAL,
    ],
)
def test_it_tries_again_after_anything_that_may_heal(tried):
    assert _wait(_judge(tried)) == 5


@pytest.mark.parametrize(("failures", "wait"), [(1, 5), (2, 300), (3, DAY)])
def test_it_waits_by_the_schedule(failures, wait):
    assert _wait(_judge(Reply(status=500), failures)) == wait


@pytest.mark.parametrize(("random", "wait"), [(0.0, 240), (0.5, 300), (0.75, 330)])
def test_it_spreads_retries_by_a_fifth(random, wait):
    verdict = _judge(Reply(status=500), 2, CALLBACKS, random)
    assert _wait(verdict) == pytest.approx(wait)


@pytest.mark.parametrize(
    "tried",
    [
        Reply(status=410),
        Reply(status=410, error=Trouble.RESET),
        Reply(error=Trouble.REFUSED_ADDRESS),
        Reply(error=Trouble.INVALID_REQUEST),
    ],
)
def test_it_gives_up_at_once_what_cannot_heal_g25(tried):
    assert _judge(tried) == Verdict(state=DeliveryState.DEAD)


@pytest.mark.parametrize("tried", [Reply(status=500), Mishap.LOST])
def test_it_gives_up_at_the_end_of_the_schedule(tried):
    assert _judge(tried, failures=4) == Verdict(state=DeliveryState.DEAD)


@pytest.mark.parametrize("status", [429, 503])
def test_it_waits_as_long_as_the_receiver_asks(status):
    assert _wait(_judge(Reply(status=status, retry_after=77))) == 77


def test_it_does_not_let_a_receiver_shorten_the_schedule():
    assert _wait(_judge(Reply(status=429, retry_after=1), failures=2)) == 300


def test_it_waits_a_day_at_most_for_a_receiver():
    assert _wait(_judge(Reply(status=503, retry_after=10 * DAY))) == DAY


def test_it_reads_retry_after_only_where_it_means_slow_down():
    assert _wait(_judge(Reply(status=500, retry_after=77))) == 5
