"""What this node says it can do: to peers its own types, to callers theirs as well."""

import hashlib
from collections.abc import Iterator

from django.conf import settings

from agents_app import capabilities
from agents_app.protocol import jsontext
from agents_app.protocol.payloads import TaskTypeCapability
from tasks_app import filetypes, routing


def own_card() -> dict[str, object]:
    """The list of P2A 7.5 with the types of our own handlers, and its `etag`.

    Peers get this one: a task is passed on once, never in a circle.
    """
    card = capabilities.document(
        agent_id=settings.SYNAPSE_AGENT_ID,
        agent_name=settings.SYNAPSE_AGENT_NAME,
        max_file_size=settings.SYNAPSE_MAX_FILE_SIZE,
        max_concurrent_tasks=settings.SYNAPSE_MAX_CONCURRENT_TASKS,
        max_task_duration=settings.SYNAPSE_MAX_TASK_DURATION,
        content_types=filetypes.ACCEPTED,
    )
    return card | {"etag": hashlib.sha256(jsontext.dumps(card)).hexdigest()[:16]}


def offers() -> Iterator[dict[str, object]]:
    """The types of live peers, as P2A 7.6 and with the `agent_id` of whose they are."""
    for peer in routing.live_peers():
        for offer in peer.task_types():
            shown = TaskTypeCapability.parse(offer).model_dump(mode="json")
            yield shown | {"agent_id": peer.id}
