"""What happens when, by the rules alone (decisions 15, 20; G42)."""

from datetime import timedelta

import pytest

from tasks_app.ladder import (
    Ladder,
    Prospect,
    Rung,
    Standing,
    Step,
    Then,
    due_step,
    end_of,
    next_step,
    prospects,
)
from tests.factories import NOW, after

HOUR = 3600
CLIMBS = {"then": Then.CLIMB, "rule": "*/1"}


def ladder(*rungs: dict[str, object]) -> Ladder:
    """Three rungs, an hour each, that reject unless said otherwise."""
    fields = [*rungs, {}, {}, {}][:3]
    return Ladder(
        rungs=tuple(
            Rung(**{"level": n, "answer_s": HOUR} | given)
            for n, given in enumerate(fields, start=1)
        )
    )


def asked(rules: Ladder, level: int = 1, answer_by=None) -> Standing:
    """At NOW."""
    end = end_of(rules, level, NOW, answer_by)
    return Standing(level=level, since=NOW, stepped_at=NOW, due_at=end)


def told(rules: Ladder, **how: object) -> list[tuple[float, str, int]]:
    """The prospects, in hours from NOW."""
    coming = prospects(asked(rules, **how), rules)
    return [((p.moment - NOW) / timedelta(hours=1), p.what, p.level) for p in coming]


def test_it_only_rejects_where_there_is_no_rule():
    plain = Ladder.without_rules(24 * HOUR)
    assert told(plain) == [(24, "reject", 1)]


def test_it_foretells_each_level_and_the_end():
    rules = ladder(CLIMBS, CLIMBS | {"answer_s": 4 * HOUR}, {"answer_s": 8 * HOUR})
    assert told(rules) == [(1, "climb", 2), (5, "climb", 3), (13, "reject", 3)]


def test_it_begins_at_the_level_that_was_asked():
    assert told(ladder(CLIMBS, CLIMBS), level=2) == [(1, "climb", 3), (2, "reject", 3)]


def test_it_ends_where_a_level_does_not_climb():
    assert told(ladder(CLIMBS, {})) == [(1, "climb", 2), (2, "reject", 2)]


def test_it_never_climbs_beyond_the_top():
    assert told(ladder({}, {}, CLIMBS), level=3) == [(1, "reject", 3)]


def test_it_waits_no_longer_than_the_agent_does():
    rules = ladder(CLIMBS, CLIMBS)
    assert told(rules, answer_by=after(1.5 * HOUR)) == [
        (1, "climb", 2),
        (1.5, "reject", 2),
    ]
    assert told(rules, answer_by=after(HOUR)) == [(1, "reject", 1)]


def test_it_reminds_each_time_the_time_has_passed():
    rules = ladder(CLIMBS | {"reminders": 2})
    assert told(rules) == [(1, "remind", 1), (3, "climb", 2), (4, "reject", 2)]
    later = Standing(level=1, since=NOW, stepped_at=after(HOUR), due_at=after(4 * HOUR))
    assert next_step(later, rules) == Prospect(after(2 * HOUR), Step.REMIND, 1)


def test_it_warns_once_shortly_before_the_end():
    rules = ladder({"answer_s": 8 * HOUR, "rule": "*/1"})
    start = asked(rules)
    assert next_step(start, rules) == Prospect(after(7 * HOUR), Step.DUE_SOON, 1)
    warned = Standing(
        level=1, since=NOW, stepped_at=after(7 * HOUR), due_at=start.due_at
    )
    assert next_step(warned, rules).what is Step.REJECT


def test_it_warns_of_a_short_wait_in_its_last_quarter():
    rules = ladder({"rule": "*/1"})
    assert next_step(asked(rules), rules).moment == after(0.75 * HOUR)


def test_it_does_not_warn_where_nobody_made_a_rule():
    plain = Ladder.without_rules(HOUR)
    assert next_step(asked(plain), plain).what is Step.REJECT


@pytest.mark.parametrize(
    ("hours", "what"),
    [(0.9, None), (1, Step.REMIND), (3, Step.CLIMB), (99, Step.REJECT)],
)
def test_it_does_the_gravest_of_what_is_due(hours, what):
    """A sweep that was away does not remind of every time that it missed."""
    rules = ladder(CLIMBS | {"reminders": 2})
    due = due_step(asked(rules), rules, after(hours * HOUR))
    assert (due and due.what) == what


def test_it_survives_the_way_through_the_database():
    rules = ladder(CLIMBS | {"groups": (7, 9), "approvals": 2, "separate": True})
    assert Ladder.parse(rules.to_json()) == rules
