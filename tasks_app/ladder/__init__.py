"""The ladder that a question climbs while nobody answers (decisions 15, 20).

    rungs.py    the rules as values: one rung per level
    plan.py     rules and where a question stands → what happens when (pure)
    reading.py  rows → rules, for a question that is asked, and for one that was
    asking.py   a new question gets its rules

A question keeps the rules that it was asked under: what its page promised holds,
whatever an administrator changes meanwhile.
"""

from tasks_app.ladder.asking import under_rules
from tasks_app.ladder.plan import (
    Prospect,
    Standing,
    Step,
    due_step,
    end_of,
    next_step,
    prospects,
)
from tasks_app.ladder.reading import ladder_for, ladder_of, standing_of
from tasks_app.ladder.rungs import TOP_LEVEL, Ladder, Rung, Then

__all__ = [
    "TOP_LEVEL",
    "Ladder",
    "Prospect",
    "Rung",
    "Standing",
    "Step",
    "Then",
    "due_step",
    "end_of",
    "ladder_for",
    "ladder_of",
    "next_step",
    "prospects",
    "standing_of",
    "under_rules",
]
