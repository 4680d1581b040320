"""The only writer of tasks: reads snapshots, writes changes, decides nothing.

    lifecycle → ledger.commit(changes) → task row, messages, attempt, outbox

Every write is conditional on what was seen before (generation, attempt); a loser
changes nothing and is told so by its absence in the returned set.
"""

from tasks_app.ledger.faults import (
    AWAY,
    UNWRITABLE,
    blames_row,
    endure,
    endure_write,
)
from tasks_app.ledger.files import attach, drop_unrecorded, has_file
from tasks_app.ledger.journal import has_step, load_journal, record_step
from tasks_app.ledger.reading import (
    Candidate,
    arrived,
    candidates,
    expired_leases,
    first_under,
    hold_claims,
    load,
    overdue,
    running_by_type,
    waiting_lanes,
)
from tasks_app.ledger.writing import (
    ApiKey,
    NewAttachment,
    NewTask,
    commit,
    forget_key,
    insert,
    renew,
)

__all__ = [
    "AWAY",
    "UNWRITABLE",
    "ApiKey",
    "Candidate",
    "NewAttachment",
    "NewTask",
    "arrived",
    "attach",
    "blames_row",
    "candidates",
    "commit",
    "drop_unrecorded",
    "endure",
    "endure_write",
    "expired_leases",
    "first_under",
    "forget_key",
    "has_file",
    "has_step",
    "hold_claims",
    "insert",
    "load",
    "load_journal",
    "overdue",
    "record_step",
    "renew",
    "running_by_type",
    "waiting_lanes",
]
