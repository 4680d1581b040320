"""The rules of the ladder as values; a question keeps them as JSON."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field

from agents_app.protocol.model import Items, Value

TOP_LEVEL = 3


class Then(StrEnum):
    """What silence leads to at one level. Never an approval (G42)."""

    CLIMB = "climb"
    REJECT = "reject"


class Rung(Value):
    """What holds while a question is at `level`. Without a rule: all defaults."""

    level: int
    # Reminders come each time this has passed; after the last one, `then`.
    answer_s: int
    reminders: int = 0
    then: Annotated[Then, Field(strict=False)] = Then.REJECT
    # Ids of the groups that are told.
    groups: Items[int] = ()
    approvals: int = 1
    rejections: int = 1
    # Separation of duty: own staff of the caller cannot decide.
    separate: bool = False
    deputies: bool = True
    # Which rule this is, such as `invoice_approval/2` or `*/2`; empty without one.
    rule: str = ""

    @property
    def climbs(self) -> bool:
        """Whether there is a level to go to; at the top there is none."""
        return self.then is Then.CLIMB and self.level < TOP_LEVEL

    @property
    def time(self) -> timedelta:
        """How long a question stays here at most, reminders included."""
        return timedelta(seconds=self.answer_s) * (self.reminders + 1)

    @property
    def votes(self) -> bool:
        """Whether one person alone does not decide."""
        return self.approvals > 1 or self.rejections > 1


class Ladder(Value):
    """One rung per level, from 1 up."""

    rungs: Items[Rung]

    @classmethod
    def without_rules(cls, answer_s: int) -> Self:
        """What holds where nobody made a rule."""
        levels = range(1, TOP_LEVEL + 1)
        return cls(rungs=tuple(Rung(level=n, answer_s=answer_s) for n in levels))

    def at(self, level: int) -> Rung:
        """The rung of a level."""
        return self.rungs[level - 1]

    @property
    def ruled(self) -> bool:
        """Whether somebody made a rule for any of its levels."""
        return any(rung.rule for rung in self.rungs)
