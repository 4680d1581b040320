"""The topics of the report, in their order."""

from collections.abc import Callable

from bench import listing, measures
from bench.measures import Bench
from bench.rounds import Line

Topic = Callable[[Bench], list[Line]]

USUAL: tuple[Topic, ...] = (
    measures.statements,
    measures.submits,
    measures.tasks,
    measures.end_to_end,
    measures.status_reads,
    measures.idle,
    measures.memory,
)
LONG: tuple[Topic, ...] = (*USUAL, listing.lists)


def named(only: str, *, long: bool) -> list[Topic]:
    """All, or those named, separated by commas; KeyError for an unknown name."""
    by_name = {topic.__name__: topic for topic in LONG}
    if only:
        return [by_name[name] for name in only.split(",")]
    return list(LONG if long else USUAL)
