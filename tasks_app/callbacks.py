"""Which callbacks a change owes its caller, and what they say (P2A 8.1, 10.1).

Pure: plans call `announce` last, and the outbox rows are written with the change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from agents_app import outbound
from agents_app.protocol import ids, jsontext
from agents_app.protocol.errors import SynapseError
from agents_app.protocol.states import TERMINAL, TaskState, public_status
from agents_app.protocol.times import rfc3339
from tasks_app.changes import Change, Outgoing, Snapshot

# What a caller may add by `callback_events`; everything else is always sent.
OPTIONAL_EVENTS = ("progress", "action_required")


UNREADABLE = "unreadable"


def announce(change: Change, now: datetime) -> Change:
    """The change with its callback: at most one a change, numbered per task."""
    event = _event(change)
    if event is None or change.before.callback_url is None:
        return change
    after = replace(change.after, callback_sequence=change.after.callback_sequence + 1)
    outgoing = Outgoing(
        id=ids.new_id(),
        kind="callback",
        sequence=after.callback_sequence,
        event=event,
        terminal=after.ended,
        party=change.before.requester,
        url=change.before.callback_url,
        endpoint=endpoint_of(change.before.callback_url),
        body=jsontext.dumps(_body(change, after, now)).decode(),
        created_at=now,
    )
    return replace(change, after=after, outgoing=(outgoing,))


def endpoint_of(url: str) -> str:
    """`scheme://host:port`: who is hit by many callbacks at once (G24).

    UNREADABLE for a URL that was accepted once and is not any more, and to which
    nothing is sent: its row has to be written all the same.
    """
    try:
        return outbound.endpoint_of(url)
    except SynapseError:
        return UNREADABLE


def _event(change: Change) -> str | None:
    before, after = change.before, change.after
    if after.state in TERMINAL:
        return str(public_status(after.state))
    if after.state is TaskState.INFO_NEEDED and change.opened:
        return "info_needed"  # Always sent: only the caller can answer.
    if public_status(before.state) != public_status(after.state):
        return str(public_status(after.state))
    if "action_required" in before.callback_events and change.opened:
        return "action_required"
    if "progress" in before.callback_events and _progressed(before, after):
        return "progress"
    return None


def _progressed(before: Snapshot, after: Snapshot) -> bool:
    """Progress, at most once per second of the clock."""
    moved = before.progress != after.progress
    return moved and int(before.updated_at.timestamp()) != int(
        after.updated_at.timestamp()
    )


def _body(change: Change, after: Snapshot, now: datetime) -> Mapping[str, object]:
    missing: Sequence[object] | None = None
    if change.opened and change.opened.missing_fields:
        missing = change.opened.missing_fields
    return {
        "task_id": str(after.id),
        "external_task_id": after.external_task_id,
        "status": str(public_status(after.state)),
        "progress": after.progress,
        "result": change.result,
        "error": change.error,
        "timestamp": rfc3339(now),
        "a2a_state": str(after.state),
        "message": after.status_message,
        "sequence": after.callback_sequence,
        "missing_fields": missing,
    }
