"""The head of the line: what may be claimed, and what is put aside to come back later.

    claiming → look → what is free
                    → others of a queue: due again some time after their leader
                    → messages of peers that cannot be called: parked

A row is put aside once for each try of its leader, and `advancing` brings the next one
back when the leader is done with. Where that is missed, because a process died, the row
comes back by itself: nothing has to be healed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import (
    BooleanField,
    Case,
    DateTimeField,
    QuerySet,
    Value,
    When,
)

from tasks_app.delivery.due import (
    InFlight,
    due,
    in_flight,
    leader,
    queue_of,
    sendable,
    uncallable,
)
from tasks_app.delivery.turns import in_turn
from tasks_app.models import Delivery

# How many are looked at: enough to have others when somebody is faster. And, when all
# of those are put aside, in the rounds after: a long queue is passed in few steps.
_ROUNDS = (16, 256, 256, 256)
# How long after its leader a delivery comes back by itself. One that waits for what is
# under way comes back when the lease of that is over: its courier died, and a final
# callback has nobody before it then.
_BEHIND = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class _Seen:
    delivery: Delivery
    # Of its queue; None where there is none.
    leader: UUID | None
    uncallable: bool


def look(now: datetime, *, sated: Sequence[str], after: str = "") -> list[Delivery]:
    """The oldest that may be sent now of one party, the next in turn `after` this one.

    None of the parties that are `sated`. None at all either when there are too many to
    put aside in one go: `now` would be long ago, and others wait.
    """
    for number in _ROUNDS:
        found_any = False
        for party in in_turn(now, sated=sated, after=after):
            # A party with many that wait gets no more than a look: others have a turn.
            seen, free = _look_at(party, now, number)
            if free:
                return free
            found_any = found_any or bool(seen)
        if not found_any:
            return []
    return []


def _look_at(
    party: str, now: datetime, number: int
) -> tuple[list[_Seen], list[Delivery]]:
    """Up to so many of a party, and those of them that are free."""
    flying = in_flight(now)
    # By nothing else: a whole queue may have one time, and would be sorted.
    line = sendable(now, flying).filter(party=party).order_by("next_try_at")
    seen = list(_read(line[:number]))
    return seen, _sorted_out(seen, flying, now)


def _sorted_out(
    seen: Sequence[_Seen], flying: InFlight, now: datetime
) -> list[Delivery]:
    """What is free; all others are put aside."""
    parked = [one.delivery.pk for one in seen if one.uncallable]
    if parked:
        due(now).filter(uncallable(), pk__in=parked).update(next_try_at=None)
    rest = [one for one in seen if not one.uncallable]
    behind = _behind(rest, flying, now)
    if behind:
        _put_aside(behind, now)
    return [one.delivery for one in rest if one.delivery.pk not in behind]


def _read(line: QuerySet[Delivery]) -> Iterable[_Seen]:
    nobody = Case(
        When(uncallable(), then=True), default=False, output_field=BooleanField()
    )
    found = line.annotate(leader=leader(), nobody=nobody)
    for row in found.defer("body", "url"):
        yield _Seen(row, row.leader, row.nobody)


def _behind(
    seen: Sequence[_Seen], flying: InFlight, now: datetime
) -> Mapping[UUID, datetime]:
    """Those that wait for others of their queue, and when to look at them again."""
    followers = [one for one in seen if one.leader not in (None, one.delivery.pk)]
    turns = _turns([one.leader for one in followers])
    again = {
        one.delivery.pk: max(now, turns.get(one.leader) or now) + _BEHIND
        for one in followers
    }
    for one in seen:
        ends = flying.queues.get(queue_of(one.delivery))
        if ends is not None:
            again[one.delivery.pk] = ends
    return again


def _turns(leaders: Sequence[UUID | None]) -> Mapping[UUID | None, datetime | None]:
    """When each of them is tried next, if that is known."""
    if not leaders:
        return {}
    found = Delivery.objects.filter(pk__in=set(leaders))
    return dict(found.values_list("pk", "next_try_at"))


def _put_aside(again: Mapping[UUID, datetime], now: datetime) -> None:
    """Not if one was brought back meanwhile: then its time is later than `now`."""
    moments: dict[datetime, list[UUID]] = {}
    for pk, at in again.items():
        moments.setdefault(at, []).append(pk)
    when = [
        When(pk__in=pks, then=Value(at, DateTimeField())) for at, pks in moments.items()
    ]
    due(now).filter(pk__in=again).update(
        next_try_at=Case(*when, output_field=DateTimeField())
    )
