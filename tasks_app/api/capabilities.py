"""What this node can do and which limits hold here (P2A 7.5, 7.6)."""

from django.conf import settings

from tasks_app import presence
from tasks_app.callbacks import OPTIONAL_EVENTS


def document(agent_id: str | None = None) -> dict[str, object]:
    """The list of P2A 7.5 and, beside it, the limits that the seed does not name.

    The node is the agent: its types are those of its handlers, and those of live peers,
    which say whose they are. `agent_id` leaves only those of one of them.
    """
    card = presence.own_card()
    ours = card["supported_task_types"]
    assert isinstance(ours, list)  # noqa: S101 - `own_card` makes it
    if agent_id not in (None, settings.SYNAPSE_AGENT_ID):
        ours = []
    theirs = [
        offer for offer in presence.offers() if agent_id in (None, offer["agent_id"])
    ]
    del card["etag"]
    return card | {
        "supported_task_types": [*ours, *theirs],
        "max_files": settings.SYNAPSE_MAX_FILES,
        "max_upload_size": settings.SYNAPSE_MAX_UPLOAD_SIZE,
        "max_body_size": settings.SYNAPSE_MAX_BODY_SIZE,
        "callback_events": list(OPTIONAL_EVENTS),
    }
