"""The values that travel between planning and writing a change of a task.

    transition.py plans   Snapshot + message → Change   (pure)
    ledger.py     writes  Change → rows                 (one conditional UPDATE)

A `Snapshot` is the task row as it was read. A `Change` says what the row becomes, if
nobody was faster: `ledger.commit` applies it only where the generation is still the
one that was seen.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agents_app.protocol.addresses import Party
from agents_app.protocol.states import TERMINAL, TaskState

Json = Mapping[str, object]


class Internal(StrEnum):
    """Log entries that no protocol text names and that never leave the node."""

    DESK_CLAIM = "desk:claim"
    DESK_RELEASE = "desk:release"
    DESK_STOP = "desk:stop"
    DESK_VOTE = "desk:vote"
    DESK_UNVOTE = "desk:unvote"
    DESK_DELEGATE = "desk:delegate"
    DESK_ESCALATE = "desk:escalate"
    # These three by the clock.
    DESK_CLIMB = "desk:climb"
    DESK_REMIND = "desk:remind"
    DESK_DUE_SOON = "desk:due_soon"


def caller_address(caller_id: uuid.UUID) -> str:
    """`caller:<id>`: the A2A address of a P2A caller; internal only (seed 003)."""
    return Party.CALLER.address(str(caller_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What planning needs to know of a task row; its large values stay behind."""

    id: uuid.UUID
    # Whose P2A task it is; nobody's when a peer asked for it.
    caller_id: uuid.UUID | None
    # The two sides (design §3): `caller:` or `agent:`, and who does the work.
    requester: str
    executor: str
    # What the requester calls the task, if not by our id.
    requester_task_id: str | None
    task_type: str
    lane: str
    external_task_id: str | None
    priority: str
    max_duration_s: int
    created_at: datetime
    callback_url: str | None
    callback_events: tuple[str, ...]
    # The caller chose the executor.
    pinned: bool = False

    state: TaskState
    generation: int
    progress: int
    status_message: str
    eta: datetime | None
    attempt: int
    failures: int
    worker: str
    leased_until: datetime | None
    attempt_started_at: datetime | None
    ready_at: datetime | None
    queue_key: int | None
    spent_ms: int
    due_at: datetime | None
    callback_sequence: int
    updated_at: datetime
    completed_at: datetime | None

    @property
    def ended(self) -> bool:
        """Whether the state is terminal: nothing leaves it."""
        return self.state in TERMINAL

    @property
    def wire_id(self) -> str:
        """The `task_id` of its messages; made by the requester (A2A 6.1)."""
        return self.requester_task_id or str(self.id)

    @property
    def running(self) -> bool:
        """Whether an attempt holds it."""
        return self.leased_until is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """One message to append to the log; `type` is a `p2p:` one or one of `Internal`."""

    message_id: str
    generation: int
    type: str
    sender: str
    recipient: str
    payload: Json
    created_at: datetime
    in_reply_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedAttempt:
    """The attempt that this change ends."""

    number: int
    worker: str
    started_at: datetime
    ended_at: datetime
    outcome: str
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One callback, or one message for a peer, to put into the outbox."""

    id: uuid.UUID
    kind: str
    # The agent that a message is for.
    peer_id: str | None = None
    sequence: int
    event: str
    terminal: bool
    # The address of whoever gets it.
    party: str
    url: str
    endpoint: str
    body: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A question to open; `version` is settled when it is written."""

    id: uuid.UUID
    owner: str
    request_id: str
    wire_version: int | None
    kind: str
    position: int | None
    asked_by: str
    created_at: datetime
    due_at: datetime
    level: int = 1
    # The rules it is asked under, and how long its executor waits at most.
    ladder: Json | None = None
    answer_by: datetime | None = None
    reason: Json | None = None
    options: tuple[object, ...] = ()
    suggested_value: Json | None = None
    decision_schema: Json | None = None
    missing_fields: tuple[object, ...] = ()
    # The message that asks.
    message_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """How the open question ends."""

    state: str
    by: str
    at: datetime
    answer: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Who holds the open question from now on; nobody after a release."""

    user_id: int | None
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where the open question stands on its ladder from now on."""

    level: int
    level_since: datetime
    stepped_at: datetime
    due_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """A vote on the open question; `principal_id` is in whose right."""

    level: int
    voter_id: int
    principal_id: int
    decision: Json
    decided_by: Json
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """Somebody takes back their vote on the open question."""

    voter_id: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event that people hear of; a row of `DeskEvent`."""

    kind: str
    level: int
    from_level: int
    groups: tuple[int, ...]
    by: str
    due_at: datetime
    at: datetime
    to_user_id: int | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One step of one task, to be written whole or not at all."""

    before: Snapshot
    after: Snapshot
    messages: tuple[Logged, ...] = ()
    result: Json | None = None
    error: Json | None = None
    ended: EndedAttempt | None = None
    outgoing: tuple[Outgoing, ...] = ()
    opened: Opened | None = None
    closed: Closed | None = None
    held: Held | None = None
    placed: Placed | None = None
    cast: Cast | None = None
    withdrawn: Withdrawn | None = None
    told: tuple[Told, ...] = ()
    # All facts provided so far.
    provided: Json | None = None
    # The answer that the journal of the handler gets with this change.
    answered: Json | None = None
