"""A question for our desk is asked under the rules of its task type.

Every change passes here on its way to the ledger: whoever asks, a handler or a peer.
"""

from dataclasses import replace

from tasks_app.changes import Change, Opened, Told
from tasks_app.ladder.plan import Standing, end_of, next_step
from tasks_app.ladder.reading import ladder_for
from tasks_app.ladder.rungs import Ladder
from tasks_app.models import DeskEvent


def under_rules(change: Change, answer_s: int) -> Change:
    """The change with the deadline that the rules give, and with word of the question.

    `answer_s`: how long a level without a rule waits, in seconds.
    """
    opened = change.opened
    if opened is None or opened.kind != "human" or opened.owner != "us":
        return change
    ladder = ladder_for(change.before.task_type, answer_s)
    if ladder is None:
        return replace(change, told=(_asked(opened, None),))
    opened = _ruled(opened, ladder)
    after = replace(change.after, due_at=next_step(_start(opened), ladder).moment)
    return replace(change, after=after, opened=opened, told=(_asked(opened, ladder),))


def _ruled(opened: Opened, ladder: Ladder) -> Opened:
    end = end_of(ladder, opened.level, opened.created_at, opened.answer_by)
    return replace(opened, ladder=ladder.to_json(), due_at=end)


def _start(opened: Opened) -> Standing:
    return Standing(
        level=opened.level,
        since=opened.created_at,
        stepped_at=opened.created_at,
        due_at=opened.due_at,
    )


def _asked(opened: Opened, ladder: Ladder | None) -> Told:
    return Told(
        kind=DeskEvent.Kind.ASKED,
        level=opened.level,
        from_level=opened.level,
        groups=ladder.at(opened.level).groups if ladder else (),
        by=opened.asked_by,
        due_at=opened.due_at,
        at=opened.created_at,
    )
