"""People's answers: operators decide, callers (or operators for them) supply facts.

    admin, API → verb (by whom, which version was shown) → lifecycle.change

The only place that knows what makes an answer acceptable. A door checks whether
somebody may come in; the verbs check the rights that depend on the question.

    deciding.py    claim, release, decide
    voting.py      where several have to agree
    climbing.py    the next level: by the clock, by hand
    delegating.py  to somebody else
    rights.py      who may, in whose right
    informing.py   facts
"""

from tasks_app.desk.climbing import advance, escalate, prospects
from tasks_app.desk.deciding import (
    Outcome,
    Shown,
    change_by_peer,
    claim,
    decide,
    decide_by_timeout,
    may_decide,
    may_release,
    release,
)
from tasks_app.desk.delegating import delegate
from tasks_app.desk.informing import change_by_facts, expire_info, provide
from tasks_app.desk.naming import Named
from tasks_app.desk.rights import (
    eligible,
    ladder_of,
    levels_of,
    rung_of,
    stands_in_for,
)
from tasks_app.desk.voting import Tally, tally, votes_on, withdraw_vote

__all__ = [
    "Named",
    "Outcome",
    "Shown",
    "Tally",
    "advance",
    "change_by_facts",
    "change_by_peer",
    "claim",
    "decide",
    "decide_by_timeout",
    "delegate",
    "eligible",
    "escalate",
    "expire_info",
    "ladder_of",
    "levels_of",
    "may_decide",
    "may_release",
    "prospects",
    "provide",
    "release",
    "rung_of",
    "stands_in_for",
    "tally",
    "votes_on",
    "withdraw_vote",
]
