"""When to try again."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from agents_app.protocol.retry import ATTEMPTS, CALLBACKS, RetryPolicy


def _waits(policy):
    return [policy.next_delay(n, random=0.5) for n in range(policy.attempts + 1)]


def test_it_gives_a_task_three_attempts():
    assert ATTEMPTS.attempts == 3
    assert _waits(ATTEMPTS) == [0, 5, 30, None]


def test_it_spreads_callbacks_over_three_days():
    hours = [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
    assert _waits(CALLBACKS) == [*hours, None]


def test_it_gives_up_for_good():
    assert ATTEMPTS.next_delay(99, random=0.0) is None


def test_it_has_no_attempt_without_a_schedule():
    assert RetryPolicy(delays_s=()).next_delay(0, random=0.5) is None


@given(st.floats(0, 1, exclude_max=True), st.integers(0, 9))
def test_it_stays_within_its_jitter(random, failures):
    planned = CALLBACKS.delays_s[failures]
    wait = CALLBACKS.next_delay(failures, random=random)
    assert wait == pytest.approx(planned, rel=0.2 + 1e-9)


def test_it_uses_the_whole_width_of_its_jitter():
    assert CALLBACKS.next_delay(1, random=0.0) == pytest.approx(4)
    assert CALLBACKS.next_delay(1, random=0.999999) == pytest.approx(6, abs=0.001)
