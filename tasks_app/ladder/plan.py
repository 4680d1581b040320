"""What becomes of a question that nobody answers, and when. Pure: no clock, no rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from tasks_app.ladder.rungs import Ladder

# How long before the end people hear of it; a quarter of the wait, where that is less.
_SOON = timedelta(hours=1)


class Step(StrEnum):
    """What the clock does to a question."""

    REMIND = "remind"
    CLIMB = "climb"
    DUE_SOON = "due_soon"
    REJECT = "reject"


class Prospect(NamedTuple):
    """One thing to come. `level` is where the question is from then on."""

    moment: datetime
    what: Step
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a question stands on its ladder."""

    level: int
    # When it came to this level, and up to when the plan has been carried out.
    since: datetime
    stepped_at: datetime
    # When silence is a rejection.
    due_at: datetime


def end_of(
    ladder: Ladder, level: int, since: datetime, answer_by: datetime | None
) -> datetime:
    """When silence is a rejection for a question that came to `level` at `since`.

    Never after `answer_by`: longer its executor does not wait (`answer_within_s`).
    """
    rung = ladder.at(level)
    end = since + rung.time
    while rung.climbs:
        rung = ladder.at(rung.level + 1)
        end += rung.time
    return min(end, answer_by) if answer_by else end


def next_step(standing: Standing, ladder: Ladder) -> Prospect:
    """The next thing that the clock does to it."""
    return min(_coming(standing, ladder))


def due_step(standing: Standing, ladder: Ladder, now: datetime) -> Prospect | None:
    """What the clock has to do now, if anything; of several the gravest.

    A sweep that was away for long does not remind of each time that it missed.
    """
    due = [one for one in _coming(standing, ladder) if one.moment <= now]
    return max(due, key=lambda one: _GRAVITY.index(one.what), default=None)


def prospects(standing: Standing, ladder: Ladder) -> list[Prospect]:
    """All that will happen while nobody answers, in order; the last one is the end.

    Of the reminders at a level only the next one.
    """
    climbs = list(_climbs(standing, ladder))
    places = [standing, *(_arrived(standing, climb) for climb in climbs)]
    reminders = [one for place in places for one in _reminders(place, ladder)]
    end = Prospect(standing.due_at, Step.REJECT, places[-1].level)
    return sorted([*reminders, *climbs, end])


_GRAVITY = (Step.REMIND, Step.DUE_SOON, Step.CLIMB, Step.REJECT)


def _coming(standing: Standing, ladder: Ladder) -> Iterator[Prospect]:
    """The next one of each kind at this level."""
    yield from _reminders(standing, ladder)
    climb = next(_climbs(standing, ladder), None)
    if climb is not None:
        yield climb
    elif ladder.ruled:
        yield from _warning(standing)
    yield Prospect(standing.due_at, Step.REJECT, standing.level)


def _climbs(standing: Standing, ladder: Ladder) -> Iterator[Prospect]:
    """What would come after the end does not come."""
    level, moment = standing.level, standing.since
    while ladder.at(level).climbs:
        moment += ladder.at(level).time
        if moment >= standing.due_at:
            return
        level += 1
        yield Prospect(moment, Step.CLIMB, level)


def _arrived(standing: Standing, climb: Prospect) -> Standing:
    at = climb.moment
    return replace(standing, level=climb.level, since=at, stepped_at=at)


def _reminders(standing: Standing, ladder: Ladder) -> Iterator[Prospect]:
    """The next one at this level, if any is left."""
    rung = ladder.at(standing.level)
    pause = timedelta(seconds=rung.answer_s)
    for number in range(1, rung.reminders + 1):
        moment = standing.since + pause * number
        if standing.stepped_at < moment < standing.due_at:
            yield Prospect(moment, Step.REMIND, standing.level)
            return


def _warning(standing: Standing) -> Iterator[Prospect]:
    """Shortly before the end, once."""
    soon = standing.due_at - min(_SOON, (standing.due_at - standing.since) / 4)
    if soon > standing.stepped_at:
        yield Prospect(soon, Step.DUE_SOON, standing.level)
