"""Whose turn it is: parties that something is due for, one after the other (G24).

SQL, because it jumps from party to party in the index `delivery_turn`, past however
many deliveries each of them has: the ORM has no recursion.
"""

from collections.abc import Collection
from datetime import datetime

from django.db import connection

from tasks_app.models import Delivery

_TABLE = Delivery._meta.db_table
_WITH_SOMETHING_DUE = f"""
    WITH RECURSIVE parties(party) AS (
        SELECT min(party) FROM {_TABLE} WHERE state = 'waiting'
        UNION ALL
        SELECT (SELECT min(d.party) FROM {_TABLE} AS d
                WHERE d.state = 'waiting' AND d.party > parties.party)
        FROM parties WHERE parties.party IS NOT NULL
    )
    SELECT party FROM parties WHERE party IS NOT NULL AND EXISTS (
        SELECT 1 FROM {_TABLE} AS d WHERE d.state = 'waiting'
        AND d.party = parties.party AND d.next_try_at <= %s
    )
"""  # noqa: S608 - names are ours


def in_turn(now: datetime, *, sated: Collection[str], after: str) -> list[str]:
    """Those with something due but the `sated` ones; first what comes `after`."""
    with connection.cursor() as cursor:
        moment = connection.ops.adapt_datetimefield_value(now)
        cursor.execute(_WITH_SOMETHING_DUE, [moment])
        found = sorted(party for (party,) in cursor.fetchall() if party not in sated)
    return [p for p in found if p > after] + [p for p in found if p <= after]
