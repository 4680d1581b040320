"""What will become of an open request while nobody answers it, and by which rule."""

from dataclasses import dataclass
from datetime import datetime

from tasks_app import desk
from tasks_app.admin.when import span
from tasks_app.ladder import Prospect, Rung, Step
from tasks_app.models import Question

_WORDS = {
    Step.REMIND: "reminder",
    Step.CLIMB: "level {}",
    Step.DUE_SOON: "word that it ends soon",
    Step.REJECT: "rejected",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """One thing to come: `14:00` (with the date unless it is today), `level 2`."""

    at: datetime
    clock: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The rule for the level where the request is; `name` is empty without one."""

    name: str
    needs: str
    limits: tuple[str, ...]


def foretold(question: Question, now: datetime) -> list[Coming]:
    """In order; the last one is the end, and the end is never an approval (G42)."""
    return [_coming(one, now) for one in desk.prospects(question)]


def rule_of(question: Question) -> Rule:
    """In words, by the rules that it was asked under."""
    rung = desk.rung_of(question)
    return Rule(name=rung.rule, needs=_needs(rung), limits=tuple(_limits(rung)))


def _coming(one: Prospect, now: datetime) -> Coming:
    today = one.moment.date() == now.date()
    what = _WORDS[one.what].format(one.level)
    if one.moment <= now:  # The sweep is about to do it.
        what = f"{what}, any moment now"
    clock = f"{one.moment:%H:%M}" if today else f"{one.moment:%Y-%m-%d %H:%M}"
    return Coming(at=one.moment, clock=clock, what=what)


def _needs(rung: Rung) -> str:
    if not rung.votes:
        return "One person decides."
    return (
        f"{_count(rung.approvals, 'approval')} or "
        f"{_count(rung.rejections, 'rejection')} decide."
    )


def _limits(rung: Rung) -> list[str]:
    """What it says beyond how many it takes and what silence leads to."""
    found = []
    if rung.rule:
        wait = f"{span(rung.time)} to answer at this level"
        if rung.reminders:
            wait += f", {_count(rung.reminders, 'reminder')} included"
        found.append(f"{wait}.")
    if rung.separate:
        found.append("The caller's own staff cannot decide.")
    if not rung.deputies:
        found.append("Nobody can stand in for somebody else.")
    return found


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
