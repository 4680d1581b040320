"""People's answers: operators decide, callers (or operators for them) supply facts.

    admin, API → verb (by whom, which version was shown) → lifecycle.change

The only place that knows what makes an answer acceptable. A door checks whether
somebody may come in; the verbs check the rights that depend on the question.
"""

from tasks_app.desk.deciding import (
    Shown,
    change_by_peer,
    claim,
    decide,
    decide_by_timeout,
    may_decide,
    may_release,
    release,
)
from tasks_app.desk.informing import change_by_facts, expire_info, provide
from tasks_app.desk.naming import Named

__all__ = [
    "Named",
    "Shown",
    "change_by_facts",
    "change_by_peer",
    "claim",
    "decide",
    "decide_by_timeout",
    "expire_info",
    "may_decide",
    "may_release",
    "provide",
    "release",
]
